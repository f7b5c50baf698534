"""The API client: errors without a server, and the answers of a real API server to its patches."""

from pathlib import Path
from typing import Any

import pytest

from status import api, keygen, lease


@pytest.fixture
def nobody(tmp_path: Path) -> api.Api:
    """A client of a port where nobody listens."""
    (tmp_path / "token").write_text("t")
    (tmp_path / "ca.crt").write_text("")
    return api.Api("127.0.0.1", "1", tmp_path)


def test_without_an_answer_the_status_is_0(nobody: api.Api) -> None:
    with pytest.raises(api.ApiError) as caught:
        nobody.get("/api/v1/x")

    assert caught.value.status == 0
    assert "GET /api/v1/x" in str(caught.value)


def test_a_token_that_is_not_there_yet_is_no_crash(tmp_path: Path) -> None:
    with pytest.raises(api.ApiError) as caught:
        api.Api("127.0.0.1", "1", tmp_path).get("/api/v1/x")

    assert caught.value.status == 0


def test_an_ipv6_address_is_bracketed() -> None:
    assert api.Api("fd00::1", "443").base == "https://[fd00::1]:443"
    assert api.Api("10.96.0.1", "443").base == "https://10.96.0.1:443"


def test_paths() -> None:
    assert api.format_secret_path("ns", "a-ssh") == "/api/v1/namespaces/ns/secrets/a-ssh"
    assert api.format_configmap_path("ns", "a-status") == "/api/v1/namespaces/ns/configmaps/a-status"
    assert api.format_job_path("ns", "a-1-worker") == "/apis/batch/v1/namespaces/ns/jobs/a-1-worker"


def status_of(call: Any) -> int:
    """The HTTP status that a call fails with."""
    with pytest.raises(api.ApiError) as caught:
        call()
    return caught.value.status


@pytest.mark.cluster
def test_the_role_allows_the_named_objects_alone(job: Any) -> None:
    client, namespace = job.client, job.namespace
    job.create("ConfigMap", "other")

    assert client.get(api.format_configmap_path(namespace, "a-status"))["metadata"]["name"] == "a-status"
    assert status_of(lambda: client.get(api.format_configmap_path(namespace, "other"))) == 403
    assert status_of(lambda: client.get(api.format_secret_path(namespace, "other"))) == 403
    assert status_of(lambda: client.get(f"/api/v1/namespaces/{namespace}/secrets")) == 403


@pytest.mark.cluster
def test_a_wrong_token_is_refused(job: Any) -> None:
    (job.client.folder / "token").write_text("wrong")

    assert status_of(lambda: job.client.get(api.format_configmap_path(job.namespace, "a-status"))) == 401


@pytest.mark.cluster
def test_a_secret_is_filled_once(job: Any) -> None:
    """The second of two that found it empty gets 422, and the first key stays."""
    path = api.format_secret_path(job.namespace, "a-ssh")
    job.client.patch(path, keygen.make_patch({"ssh-privatekey": "Zmlyc3Q="}), api.JSON_PATCH, "dsgen-keygen")

    second = keygen.make_patch({"ssh-privatekey": "c2Vjb25k"})

    assert status_of(lambda: job.client.patch(path, second, api.JSON_PATCH, "dsgen-keygen")) == 422
    secret = job.client.get(path)
    assert secret["data"] == {"ssh-privatekey": "Zmlyc3Q="}
    assert [entry["manager"] for entry in secret["metadata"]["managedFields"]][-1] == "dsgen-keygen"


@pytest.mark.cluster
def test_the_three_forms_of_the_lease(job: Any) -> None:
    """On a record without data, without a lease, and over an old one; a taker that saw something else is refused."""
    path = api.format_configmap_path(job.namespace, "a-status")

    def take(data: dict[str, str] | None, value: str) -> Any:
        return job.client.patch(path, lease.make_patch(data, value), api.JSON_PATCH, "dsgen-status")["data"]

    assert take(None, "1") == {"_lease": "1"}
    assert status_of(lambda: take(None, "stale")) == 422
    assert take({"_lease": "1"}, "2") == {"_lease": "2"}
    assert status_of(lambda: take({"_lease": "1"}, "stale")) == 422
    job.client.patch(path, {"data": {"_lease": None, "1": "r"}}, api.MERGE_PATCH, "dsgen-status")
    assert take({"1": "r"}, "3") == {"_lease": "3", "1": "r"}
    assert status_of(lambda: take({"1": "r"}, "stale")) == 422
