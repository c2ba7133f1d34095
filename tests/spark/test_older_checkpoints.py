"""Checkpoints of releases that noted watermarks and counters in the state itself go on."""

import pytest

from albic.streams import query
from albic.streams.checkpoint import read_checkpoint
from albic.streams.inventory import inventory
from tests.spark.test_carrying import ROWS, Job
from tests.unit.streams.older_release import older_stage

#: The first test starts the cluster and runs everything.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def job(spark, tmp_path_factory) -> Job:
    """Run the job as an older release did, go on with this one, and carry that over."""
    folder = tmp_path_factory.mktemp("older")
    (folder / "in").mkdir()
    made = Job(spark, folder)
    made.more(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query, "Stage", older_stage())
        made.run(made.network(), "older")
    made.run(made.network(groups=8), "directly", carry_over=folder / "older")
    made.more()
    made.run(made.network(), "older")
    made.run(made.network(groups=8), "later", carry_over=folder / "older")
    return made


def test_one_goes_on_with_its_counters_and_watermarks(job) -> None:
    told = job.totals["older"]
    assert told["keep"].rows_in == 4 * ROWS
    assert told["minutes"].late_rows > 0
    sums = job.out("keep").groupby("device")[["sum", "size"]].max()
    assert sums["size"].sum() == 4 * ROWS
    assert sums["sum"].sum() == sum(range(4 * ROWS))


@pytest.mark.parametrize(("checkpoint", "files"), [("directly", 3), ("later", 4)])
def test_one_is_carried_over(job, spark, checkpoint, files) -> None:
    found = {
        each.name: each
        for each in inventory(spark, read_checkpoint(job.folder / checkpoint)).operators
    }
    assert found["keep"].key_groups == 8
    assert found["keep"].rows_in == files * ROWS
    assert found["keep"].tables == ("sums",)
