"""Secrets in addresses are replaced by stars; all other text is unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgen.problems.safe_text import redact

TOKEN = "xgk4h1mq8tbn5ye7zpr3odwcia"
HUB = "hf_" + "a1" * 17
LETTERS = st.text("abcxyzABCXYZ0189-._~%+", min_size=1, max_size=30)
PASSWORDS = st.text("abcXYZ019-._~%+:@/?#!$&*=;,", min_size=1, max_size=30)
SCHEMES = st.sampled_from(["https", "HTTPS", "http", "git", "ftp", "git+https"])
AROUND = st.text('abc xyz\n\t"{}[],:/?#@=', max_size=10).map(lambda text: f"{text} ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"--token={HUB}", f"--token={'*' * len(HUB)}"),
        ("  WANDB_API_KEY: 0a1b2c3d", "  WANDB_API_KEY: ********"),
        ('env: {HF_TOKEN: "abc", A: b}', 'env: {HF_TOKEN: "***", A: b}'),
        ("export DB_PASSWORD='a b'", "export DB_PASSWORD='* b'"),
        ("https://me:pass@example.com/x", "https://*******@example.com/x"),
        ("HTTPS://me:pass@example.com/x", "HTTPS://*******@example.com/x"),
        ("https://token@example.com/x", "https://*****@example.com/x"),
        ("https://me:p@ss@example.com/x", "https://*******@example.com/x"),
        ("https://me:p/ss@example.com/x", "https://*******@example.com/x"),
        ("https://me:p#s?@example.com/x", "https://*******@example.com/x"),
        ("https://me:p", "https://****"),
        ('"https:\\/\\/me:p@example.com\\/x"', '"https:\\/\\/****@example.com\\/x"'),
        ("https://me:pass@[::1]:8443/x", "https://*******@[::1]:8443/x"),
        ("ssh://git:pass@example.com/x", "ssh://********@example.com/x"),
        ("me:pass@example.com/x.git", "*******@example.com/x.git"),
        ("https:/me:pass@example.com/x", "https:/*******@example.com/x"),
        ("x: https://example.com/x?a=b&c=d, y", "x: https://example.com/x?******** y"),
        ('["https://example.com/x?a=b", c]', '["https://example.com/x?***", c]'),
        ("https://a.io/?to=https://b.io/&key=x y", "https://a.io/?********://*********** y"),
        ("https://example.com/#access_token=x", "https://example.com/#**************"),
        ("https://hooks.slack.com/services/T0/B0/x", "https://hooks.slack.com/services/*******"),
        ("hooks.slack.com/services/T0/B0/x", "hooks.slack.com/services/*******"),
        ("https://discord.com/api/webhooks/1/a-b", "https://discord.com/api/webhooks/*****"),
        (f"https://example.com/hooks/{TOKEN}/x", "https://example.com/hooks/**************************/x"),
        ("https://a.io/9e107d9d-372b-4c81-8a3e-1f0f5a5b6c7d", "https://a.io/************************************"),
        ("https://a:b@c.io https://d:e@f.io", "https://***@c.io https://***@f.io"),
    ],
)
def test_a_secret_becomes_stars(text: str, expected: str) -> None:
    assert expected == redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "https://example.com:8443/team/cifar.git",
        "https://example.com/a@b",
        "https://[::1]:8443/x",
        "{url: https://example.com:80}",
        "cannot reach https://example.com: Connection refused",
        "ssh://git@example.com/team/cifar.git",
        "git@example.com:team/cifar.git",
        "https://kubernetes.io/docs/concepts/workloads/pods/#pod-templates",
        "https://hooks.example.com/training/notifications/2024",
        "registry.example.com:5000/team/cifar:v3@sha256:9e107d9d372b4c818a3e",
        "--include=worker-0.cifar:0,2@worker-1.cifar:0",
        "file.yaml:3:4: name: x",
        "://", "://@", "https://", ":/",
    ],
)  # fmt: skip
def test_everything_else_stays(text: str) -> None:
    assert text == redact(text)


@given(SCHEMES, LETTERS, PASSWORDS, LETTERS, AROUND, AROUND)
def test_a_password_is_never_shown(scheme: str, user: str, password: str, host: str, before: str, after: str) -> None:
    # A password that begins like a port and goes on with a path is one that no program can tell from them.
    password = f"p{password}"

    shown = redact(f"{before}{scheme}://{user}:{password}@{host}/x {after}")

    assert f"://{user}:" not in shown
    assert password not in shown or password in f"{before}{scheme}://{after}"


@given(SCHEMES, LETTERS, LETTERS, AROUND, AROUND)
def test_a_query_is_never_shown(scheme: str, host: str, query: str, before: str, after: str) -> None:
    shown = redact(f'{before}"{scheme}://{host}/x?key={query}"{after}')

    assert f"?{'*' * (len(query) + 4)}" in shown


@given(st.text(max_size=200) | st.text(":/?#@.a0 \"'", max_size=200))
def test_columns_stay_and_twice_is_once(text: str) -> None:
    shown = redact(text)

    assert len(text) == len(shown)
    assert all(one in (other, "*") for one, other in zip(shown, text, strict=True))
    assert shown == redact(shown)
