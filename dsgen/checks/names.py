"""Names, labels and images, and texts: odd characters, and secrets, which do not belong into Git."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dsgen.checks.rule import Problem, Problems, Values, error, of_roles, warning
from dsgen.generated import helpers
from dsgen.language.functions import matching
from dsgen.language.text import quote
from dsgen.problems import KeyPath, path_text, safe_text
from dsgen.schema import look_up

MOVING_TAG = "^((.*-)?(latest|nightly)|main|master|develop|dev|devel|edge|head|stable)?$"
"""Tags that most registries move to the newest image."""
OTHER_IMAGES = ("code.git.image", "launcher.image", "status.image", "monitoring.tensorboard.image")
"""The keys of images besides `image`."""
FIX_VERSION = "use a tag that is never moved, or a digest: the same run id should always mean the same code"
KUEUE = "kueue.x-k8s.io/"
WRITTEN_FROM = {
    f"{KUEUE}queue-name": "scheduling.queue",
    f"{KUEUE}priority-class": "scheduling.priorityClass",
    f"{KUEUE}podset-required-topology": "scheduling.topology.required",
    f"{KUEUE}podset-preferred-topology": "scheduling.topology.preferred",
}
"""Labels and annotations that dsgen writes, and the keys from which it does."""


@warning("DS250", "image.tag", hint=FIX_VERSION)
def warn_of_moving_tag(values: Values) -> Problems:
    image = values.image
    if image.repository and not image.digest and matching(image.tag, MOVING_TAG):
        yield Problem("the image has no fixed version")


@warning("DS250", *OTHER_IMAGES, hint=FIX_VERSION)
def warn_of_moving_images(values: Values, path: KeyPath, image: str) -> Problems:
    if path[0] == "code" and not values.code.git.repository:
        return
    if path[0] == "monitoring" and not values.monitoring.tensorboard.enabled:
        return
    if image and (not matching(image, "^.*(@.*|:[^/]*)$") or matching(image, "^.*:latest$")):
        yield Problem(f"{path_text(path)}: the image has no fixed version")


@warning(
    "DS382",
    "namespace",
    hint="use a namespace of your own: many policies, quotas and log collectors leave this one out",
)
def warn_of_system_namespace(values: Values) -> Problems:
    namespace = helpers.namespace(values, values.release)
    if namespace in ("kube-system", "kube-public", "kube-node-lease"):
        yield Problem(f"{quote(namespace)} is a namespace of Kubernetes itself")


@error("DS420", "runtime.name", hint="choose a name such as dsgen-runtime")
def refuse_name_of_own_scripts(values: Values) -> Problems:
    if not values.runtime.create and values.runtime.name.endswith("-scripts"):
        yield Problem("runtime.name ends with -scripts, as the names of a job's own scripts begin")


def _suggest_key(_: Values, path: KeyPath) -> str:
    key = WRITTEN_FROM.get(str(path[-1]))
    return f"use {key}" if key else ""


@error("DS231", "serviceAccount.annotations.*", hint="keep one of them", at_key=True)
def refuse_repeated_annotations(values: Values, path: KeyPath, _: Any) -> Problems:
    key = str(path[-1])
    if key in values.annotations:
        yield Problem(f"serviceAccount.annotations: {quote(key)} is also in annotations")


# -- texts -------------------------------------------------------------------------------------------------------------

FREE: tuple[KeyPath, ...] = (("training", "files"), ("annotations",), ("global",))
"""Texts that dsgen passes on and nobody reads as a name, an argument or a script."""
INVISIBLE = {
    "\u00a0": "a no-break space",
    "\u00ad": "a soft hyphen",
    "\u200b": "a zero width space",
    "\u2060": "a word joiner",
    "\ufeff": "a byte order mark",
}
QUOTES = "\u2018\u2019\u201c\u201d"
SETUP: KeyPath = ("training", "setup")
_TEMPLATE = r"\{\{-? *[$]?[.](Values|Release|Chart|Capabilities|Files)\b"


@warning("DS396", "", hint="write the value itself, or pass it with --set")
def warn_of_templates(values: Values) -> Problems:
    for path, text in _list_texts(values, ()):
        template = re.search(_TEMPLATE, text) if "{{" in text else None
        if template:
            message = f"{{{{ .{template[1]} }}}} stays as it is: neither Helm nor dsgen renders templates in values"
            yield Problem(message, path)


@warning("DS397", "", hint="remove it, or write a plain space; it often comes from copied text")
def warn_of_odd_characters(values: Values) -> Problems:
    for path, text in _list_texts(values, ()):
        if text.isascii():
            continue
        char = next((char for char in INVISIBLE if char in text), "")
        if char:
            name = INVISIBLE[char]
            yield Problem(f"the text contains {name} (U+{ord(char):04X}), which is not visible", path)
        if text[0] in QUOTES or text[-1] in QUOTES or (path == SETUP and set(QUOTES) & set(text)):
            message = "curly quotes are part of the text: neither YAML nor a shell takes them as quotes"
            yield Problem(message, path, "write straight quotes")


def _list_texts(part: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """The texts that may be odd, each with its path."""
    if isinstance(part, str):
        if not part.isascii() or "{{" in part:
            yield path, part
    elif isinstance(part, dict):
        for key, below in part.items():
            if (*path, key) not in FREE:
                yield from _list_texts(below, (*path, key))
    elif isinstance(part, list):
        for number, below in enumerate(part):
            yield from _list_texts(below, (*path, number))


# -- secrets -----------------------------------------------------------------------------------------------------------

FROM_SECRET = "{valueFrom: {secretKeyRef: {name: my-secret, key: KEY}}}"
IN_SECRET = f"put it into a Secret, and set training.env.NAME: {FROM_SECRET}"
LOGIN_IN_SECRET = "put username and password into a Secret and set code.git.secretName to its name"
ADDRESS_IN_SECRET = "put the address into a Secret, under the key url, and set status.webhook.secretName to its name"
HAS_QUERY = "^[^?]*[?].+$"
HAS_USER = "^[A-Za-z]+://[^/]*@.*$"


HAS_LOGIN = {
    "code.git.repository": ("^(([A-Za-z+.-]+://)?[^/@]*:[^/@]*@|[Hh][Tt][Tt][Pp][Ss]?://[^/]*@).*$", LOGIN_IN_SECRET),
    "status.webhook.url": (HAS_USER, ADDRESS_IN_SECRET),
}


@error("DS248", *HAS_LOGIN)
def refuse_passwords(_: Values, path: KeyPath, address: str) -> Problems:
    pattern, hint = HAS_LOGIN[path_text(path)]
    if matching(address, pattern):
        message = f"{path_text(path)} contains a user name or password, and values files are kept in Git"
        yield Problem(message, hint=hint)


@warning("DS360", "code.git.repository", hint=LOGIN_IN_SECRET)
def warn_of_key_of_repository(values: Values) -> Problems:
    if matching(values.code.git.repository, HAS_QUERY):
        yield Problem("code.git.repository seems to contain a key after the ?, and values files are kept in Git")


@warning("DS360", "status.webhook.url", hint=ADDRESS_IN_SECRET)
def warn_of_key_of_webhook(values: Values) -> Problems:
    address = values.status.webhook.url
    if address and not matching(address, HAS_USER) and safe_text.redact(address) != address:
        yield Problem("status.webhook.url seems to contain a key, and anyone who can read the values could use it")


@warning("DS369", "training.env.*", "launcher.env.*")
def warn_of_secret_variables(_: Values, path: KeyPath, value: Any) -> Problems:
    if isinstance(value, str) and safe_text.is_secret(str(path[-1]), value):
        where, name = path_text(path[:-1]), quote(path[-1])
        yield Problem(
            f"{where}: the value of {name} seems to be a secret, and values files are kept in Git",
            hint=f"put it into a Secret, and set {where}.NAME: {FROM_SECRET}",
        )


@warning("DS369", "training.args.*", "training.exec.*", "launch.command.*", hint=IN_SECRET)
def warn_of_secret_words(values: Values, path: KeyPath, word: str) -> Problems:
    words, index = look_up(values, path[:-1]), int(path[-1])
    is_value = index > 0 and safe_text.is_secret_argument(words[index - 1], word)
    if is_value or safe_text.is_secret_argument(*word.partition("=")[::2]) or safe_text.holds_secret(word):
        yield Problem(f"{path_text(path[:-1])}: an item seems to contain a secret, and values files are kept in Git")


@warning("DS369", "training.files.*", hint="put it into a Secret, and mount the Secret as a volume of storage")
def warn_of_secret_files(_: Values, path: KeyPath, text: str) -> Problems:
    if safe_text.holds_token(text):
        name = quote(path[-1])
        yield Problem(f"training.files: {name} seems to contain a secret, and values files are kept in Git")


@warning("DS369", "training.setup", hint=IN_SECRET)
def warn_of_secret_in_setup(values: Values) -> Problems:
    if safe_text.holds_secret(values.training.setup):
        yield Problem("training.setup seems to contain a secret, and values files are kept in Git")


# Templates refuse these, too: condition and message are their helpers.
error("DS201", "image.repository", hint="set it to the image of the training, such as registry.example.com/team/cifar")(
    helpers.no_image
)
error("DS204", "name", hint="shorten the name of the job or run.id")(
    lambda values: helpers.long_pod_names(values, values.release)
)
error("DS340", "name", hint="shorten the name of the job")(
    lambda values: helpers.long_tensorboard_name(values, helpers.job_name(values, values.release))
)
error("DS343", "run.id", hint="choose another run.id")(helpers.run_named_tensorboard)
error(
    "DS205",
    "name",
    hint="use lower-case letters, digits and hyphens; begin with a letter, and do not end with a hyphen",
)(lambda values: helpers.invalid_job_name(helpers.job_name(values, values.release)))
error(
    "DS230",
    *("labels.*", "annotations.*", *of_roles("podLabels.*"), *of_roles("podAnnotations.*")),
    "serviceAccount.annotations.*",
    hint="use a key in a domain of your own, such as example.com/team",
    suggest=_suggest_key,
    at_key=True,
)(lambda _, path, __: helpers.written_key(path_text(path[:-1]), str(path[-1])))
