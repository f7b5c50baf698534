"""Names of objects and pods, labels and annotations, the image."""

from dsgen.checks.row import POD_ANNOTATIONS, ROLES, Check

JOB = "set job = job_name(values, release)"
POD_LABELS = 'for key, value in values[role]["podLabels"] | items'


def _reserved_keys(path: str, *loops: str, given: tuple[str, ...] = ()) -> Check:
    return Check(
        "DS230",
        f"{path}.<< key >>",
        "reserved_key(key)",
        f"{path}: << key | quote >> is written by dsgen or Kubernetes",
        "choose a key of a domain of your own",
        loops or (f"for key, value in values.{path} | items",),
        given,
        at_key=True,
    )


def _no_version(path: str, given: tuple[str, ...] = ()) -> Check:
    return Check(
        "DS250",
        path,
        f'values.{path} and not values.{path} is matching("^.*(@.*|:[^/]*)$")'
        f' or values.{path} is matching("^.*:latest$")',
        f"{path}: the image has no fixed version",
        "give a tag that is never moved, or a digest: the same run id should always mean the same code",
        given=given,
        severity="warning",
    )


ROWS = (
    Check(
        "DS201",
        "image.repository",
        "not values.image.repository",
        "image.repository must be given",
        "the image in which the training runs, such as registry.example.com/team/cifar",
    ),
    Check(
        "DS250",
        "image.tag",
        'values.image.repository and not values.image.digest and values.image.tag in ["", "latest"]',
        "the image has no fixed version",
        "give a tag that is never moved, or a digest: the same run id should always mean the same code",
        severity="warning",
    ),
    _no_version("code.git.image", ("code.git.repository",)),
    _no_version("monitoring.tensorboard.image", ("monitoring.tensorboard.enabled",)),
    Check(
        "DS204",
        "name",
        "run | length + last | length > 63",
        "the names of the pods are too long: << run | quote >> has << run | length >> characters and << last >> has"
        " << last | length >>, together they may have 63",
        "shorten the name of the job or run.id",
        ("set run = run_name(values, release)", 'set last = "-worker-" ~ (worker_pods(values) | int - 1)'),
    ),
    Check(
        "DS340",
        "name",
        "job | length > 51",
        "<< job | quote >> has << job | length >> characters and -tensorboard has 12, the name of a Service may have 63"
        " together",
        "shorten the name of the job",
        (JOB,),
        ("monitoring.tensorboard.enabled",),
    ),
    Check(
        "DS343",
        "run.id",
        'run_id(values) == "tensorboard"',
        "run.id: the Service of run tensorboard would have the name of TensorBoard's",
        "choose another id",
        given=("monitoring.tensorboard.enabled",),
    ),
    Check(
        "DS205",
        "name",
        'job and not job is matching("^[a-z]([-a-z0-9]*[a-z0-9])?$")',
        "the job cannot be named << job | quote >>",
        "lower-case letters, digits and -, a letter first, no - at the end",
        (JOB,),
    ),
    _reserved_keys("labels"),
    _reserved_keys("annotations"),
    _reserved_keys("<< role >>.podLabels", ROLES, POD_LABELS, given=("workers.podLabels or launcher.podLabels",)),
    _reserved_keys("<< role >>.podAnnotations", ROLES, POD_ANNOTATIONS),
    _reserved_keys("serviceAccount.annotations"),
    Check(
        "DS231",
        "serviceAccount.annotations.<< key >>",
        "key in values.annotations",
        "serviceAccount.annotations: << key | quote >> is among annotations already",
        "keep one of them",
        ("for key, value in values.serviceAccount.annotations | items",),
        at_key=True,
    ),
)
