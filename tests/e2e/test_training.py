"""A successful training: flat manifests as root, the chart as another user, both applied again, a second run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.training import NOTE, RESTRICTED, Job, Run, condition, dsgen, ended, moment
from tests.helm import helm

CHART = Path(__file__).parents[2] / "charts" / "deepspeed-job"


@pytest.fixture(scope="module")
def flat_job(make_job: Callable[..., Job]) -> Job:
    return make_job("flat")


@pytest.fixture(scope="module")
def flat(flat_job: Job) -> Run:
    """Flat manifests, applied by kubectl, containers run as root, the namespace enforces `baseline`."""
    flat_job.apply()
    return flat_job.ended()


@pytest.fixture(scope="module")
def second(flat_job: Job, flat: Run) -> Run:
    """The same job with a new run id, applied beside the finished run."""
    assert condition(flat.launcher)
    flat_job.apply("2")
    return flat_job.ended("2")


@pytest.fixture(scope="module")
def chart_job(make_job: Callable[..., Job]) -> Job:
    job = make_job("chart", level="restricted")
    job.values["security"] = RESTRICTED
    return job


@pytest.fixture(scope="module")
def chart(chart_job: Job) -> Run:
    """The committed chart, installed by Helm 4, containers run as user 1234, the namespace enforces `restricted`."""
    chart_job.helm(helm(4), "install", str(CHART), "1")
    return chart_job.ended()


def test_two_workers_learn_with_zero_2(flat: Run) -> None:
    """Two ranks train together in stage 2, in the order of the hostfile, and the loss falls."""
    begun = sorted((line["rank"], line["world"], line["zero"], line["first"]) for line in flat.lines if "rank" in line)

    assert [(0, 2, 2, 0), (1, 2, 2, 0)] == begun
    assert list(range(20)) == list(flat.losses)
    assert flat.losses[19] < 0.9 * flat.losses[0]


def test_arguments_and_environment_arrive_as_written(flat: Run) -> None:
    """No shell, no pdsh and no kubelet has touched an argument or a variable."""
    assert [(NOTE, NOTE)] * 2 == [(line["note"], line["setting"]) for line in flat.lines if "rank" in line]


def test_both_jobs_are_complete_and_nothing_runs(flat: Run) -> None:
    """The launcher and each worker ended by themselves with exit code 0, in the first pod that each had."""
    assert ("Complete", "Complete") == (condition(flat.launcher).type, condition(flat.worker).type)
    assert {"launcher": [0], "worker": [0, 0]} == flat.exit_codes


def test_workers_end_soon_after_the_launcher(flat: Run) -> None:
    """Nobody ends the workers; they learn that the run is over within 30 seconds."""
    over = ended(flat.pods_of("launcher")[0]).finished_at
    late = [(ended(pod).finished_at - over).total_seconds() for pod in flat.pods_of("worker")]

    assert all(seconds <= 30 for seconds in late), late


def test_the_record_says_how_it_went(flat: Run) -> None:
    """The record has phase, times in order, one attempt, the exit code and the world that was trained on."""
    record = flat.record

    assert ("Succeeded", 0, 2) == (record["phase"], record["exitCode"], record["worldSize"])
    assert moment(record["startTime"]) < moment(record["endTime"])
    assert 1 == len(record["attempts"])


def test_the_key_is_made_in_the_cluster_and_shows_nowhere(flat_job: Job, flat: Run) -> None:
    """The Secret is applied without data and filled once; no log, no record and no pod holds a line of the key."""
    assert [] == flat_job.showing_key([*flat.logs.values(), str(flat.record), str(flat.pods)])


def test_training_code_has_no_api_token(flat: Run) -> None:
    """Neither the ranks nor the containers of launcher and workers see a token; only the status hook does."""
    holders = {
        container.name
        for pod in flat.pods
        for container in [*(pod.spec.init_containers or []), *pod.spec.containers]
        if any("secrets/" in mount.mount_path for mount in container.volume_mounts)
    }

    assert [[], []] == [line["tokens"] for line in flat.lines if "rank" in line]
    assert {"status"} == holders


def test_the_same_manifests_again_change_nothing(flat_job: Job, flat: Run) -> None:
    """Every object is unchanged: no new Job, no new pod, no other version of anything."""
    assert condition(flat.worker)
    before = flat_job.space.identities()

    answers = flat_job.apply()

    assert [] == [answer for answer in answers if not answer.endswith(" unchanged")]
    assert before == flat_job.space.identities()


def test_a_new_run_id_trains_on_from_the_checkpoint(flat_job: Job, flat: Run, second: Run) -> None:
    """The second run begins where the first ended, and the record holds both."""
    assert [20, 20] == [line["first"] for line in second.lines if "rank" in line]
    assert list(range(20, 40)) == list(second.losses)
    assert second.losses[39] < flat.losses[19]
    assert ["1", "2"] == sorted(flat_job.space.record("digits"))
    assert flat.record == flat_job.space.record("digits")["1"]


def test_the_chart_trains_as_another_user_with_the_same_losses(flat: Run, chart: Run) -> None:
    """Helm's objects pass `restricted`, run as user 1234, and the training is the same to the last digit."""
    assert [1234, 1234] == [line["uid"] for line in chart.lines if "rank" in line]
    assert [0, 0] == [line["uid"] for line in flat.lines if "rank" in line]
    assert flat.losses == chart.losses
    assert ("Succeeded", 0, 2) == tuple(chart.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert {"launcher": [0], "worker": [0, 0]} == chart.exit_codes


def test_upgrade_with_the_same_values_changes_no_job(chart_job: Job, chart: Run) -> None:
    """A release upgraded without a new run id starts nothing."""
    chart_job.helm(helm(4), "upgrade", str(CHART), "1")

    jobs = chart_job.space.batch.list_namespaced_job(chart_job.space.name).items
    assert sorted((job.metadata.name, job.metadata.uid) for job in (chart.launcher, chart.worker)) == sorted(
        (job.metadata.name, job.metadata.uid) for job in jobs
    )
    assert [] == chart_job.running("1")


@pytest.fixture(scope="module")
def upgraded(chart_job: Job, chart: Run) -> Run:
    """The second run of the release."""
    assert chart.losses
    chart_job.helm(helm(4), "upgrade", str(CHART), "2")
    return chart_job.ended("2")


def test_upgrade_with_a_new_run_id_trains_again(chart_job: Job, chart: Run, upgraded: Run, second: Run) -> None:
    """The upgraded release trains on from the checkpoint, as the flat manifests did; the record keeps the first run."""
    assert second.losses == upgraded.losses
    assert "Succeeded" == upgraded.record["phase"]
    assert chart.record == chart_job.space.record("digits")["1"]


def test_a_rollback_to_a_run_that_has_ended_trains_nothing(chart_job: Job, chart: Run, upgraded: Run) -> None:
    """Helm creates the Jobs of the first run again; they end as that run did, and its record stays as it was."""
    assert upgraded.losses
    chart_job.helm(helm(4), "rollback", "1")

    again = chart_job.ended("1")

    assert chart.launcher.metadata.uid != again.launcher.metadata.uid
    assert {} == again.losses
    assert (chart.record, chart.exit_codes) == (again.record, again.exit_codes)


def test_helm_3_installs_a_chart_with_the_values_in_it(flat: Run, make_job: Callable[..., Job]) -> None:
    """`dsgen chart` with a values file makes a chart that Helm 3 installs as it is."""
    job = make_job("helm3", level="restricted")
    job.values["security"] = RESTRICTED
    folder = str(job.folder / "chart")
    dsgen("chart", job.file("1"), "--output", folder)
    chart = str(next(path.parent for path in Path(folder).glob("**/Chart.yaml")))

    job.helm(helm(3), "install", chart)

    run = job.ended()
    assert flat.losses == run.losses
    assert "Succeeded" == run.record["phase"]
