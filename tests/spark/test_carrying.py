"""A network that changes on a real cluster: it goes on from its old state as if nothing had been.

The job reads a file a batch. It is stopped, changed and started again several times in the fixture
``story``; what it put out is compared with a computation over all files at once.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from albic.cli.network.action import print_inventory
from albic.model import InvalidInput
from albic.streams import Network, Operator, Sink, Source, carrying
from albic.streams.checkpoint import read_checkpoint
from albic.streams.inventory import inventory
from tests.spark.conftest import numbers

#: The first test starts the cluster and runs the whole story.
pytestmark = pytest.mark.timeout(480)

COLUMNS = "device string, at timestamp, value bigint"
START = pd.Timestamp("2024-05-01", tz="UTC")
DEVICES, ROWS = 12, 40
BEGAN_S = START.timestamp()


def readings(file) -> pd.DataFrame:
    """Return the rows of one file: a minute of them, one in eight three minutes late."""
    row = range(ROWS * file, ROWS * (file + 1))
    late = [180 if number % 8 == 7 else 0 for number in row]
    at = [START + pd.Timedelta(seconds=1.5 * n - s) for n, s in zip(row, late, strict=True)]
    return pd.DataFrame({"device": [f"d{n * n % DEVICES}" for n in row], "at": at, "value": row})


def processors():
    """Return what the operators do, made here so that it travels to executors by value."""

    def clean(state, rows):  # noqa: ARG001
        return rows.table()

    def keep(state, rows):
        seen = rows.frame().groupby("device")["value"].agg(["sum", "size"])
        if "sums" in state:
            seen = state["sums"].add(seen, fill_value=0).astype("int64")
        state["sums"] = seen
        return seen.reset_index()

    def minutes(state, rows):
        frame = rows.frame()
        minute = frame["at"].dt.floor("min").rename("minute")
        seen = frame.groupby(["device", minute])["value"].sum().reset_index()
        if "open" in state:
            seen = (
                pd.concat([state["open"], seen]).groupby(["device", "minute"], as_index=False).sum()
            )
        over = seen["minute"] + pd.Timedelta(minutes=1) <= rows.watermark
        state["open"] = seen[~over].reset_index(drop=True)
        return seen[over]

    def highest(state, rows):
        top = max(state.get("top", -1), rows.frame()["sum"].max())
        state["top"] = int(top)
        return pd.DataFrame({"top": [top]})

    return clean, keep, minutes, highest


@dataclass
class Job:
    """The job in all its shapes, with its files and what it put out."""

    spark: object
    folder: Path
    files: int = 0
    kept: dict = field(default_factory=dict)
    totals: dict = field(default_factory=dict)
    failing: set = field(default_factory=set)

    def more(self, files=1) -> None:
        """Put files where the job looks for them, whole at once and one younger than the other."""
        for _ in range(files):
            file = self.folder / f"{self.files}.json"
            readings(self.files).to_json(file, orient="records", lines=True, date_format="iso")
            os.utime(file, (0, BEGAN_S + self.files))
            file.rename(self.folder / "in" / file.name)
            self.files += 1

    def network(self, groups=4, kept="keep", *, top=False, more=False, split="sums") -> Network:
        reader = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
        frame = reader.json(str(self.folder / "in"))
        clean, keep, minutes, highest = processors()
        operators = [
            Operator("clean", "readings", "device", groups, COLUMNS, clean, "at", keeps_key=True),
            Operator(
                kept,
                "clean",
                "device",
                groups,
                "device string, sum bigint, size bigint",
                keep,
                split=split,
            ),
        ]
        schema = "device string, minute timestamp, value bigint"
        operators.append(Operator("minutes", "clean", "device", 3, schema, minutes, windowed=True))
        if top:
            operators.append(Operator("top", kept, (), 1, "top bigint", highest))
        sources = [Source("readings", frame, "at")]
        if more:
            sources.insert(0, Source("more", reader.json(str(self.folder / "more"))))
            operators.append(Operator("extra", "more", "device", 2, COLUMNS, clean))
        named = {kept: "keep", "minutes": "minutes", "top": "top", "extra": "extra"}
        sinks = [Sink(o.name, self.sink(named[o.name])) for o in operators if o.name in named]
        return Network("changing", sources, operators, sinks)

    def sink(self, name):
        def write(frame, batch_id) -> None:
            if batch_id in self.failing:
                raise RuntimeError("no space left")
            self.kept[name, batch_id] = frame.toPandas()

        return write

    def run(self, network, checkpoint, **options):
        running = network.start(self.folder / checkpoint, all_there_is=True, **options)
        running.query.awaitTermination()
        names = running.layout.operators
        self.totals[checkpoint] = {name: running.totals(name) for name in names}
        return [batch.batch_id for batch in running.batches()]

    def out(self, name) -> pd.DataFrame:
        return pd.concat([frame for (each, _), frame in sorted(self.kept.items()) if each == name])


def prints(folder) -> dict[str, str]:
    """Return every file below a folder with a hash of what it holds."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def job(spark, tmp_path_factory) -> Job:
    folder = tmp_path_factory.mktemp("changing")
    (folder / "in").mkdir()
    (folder / "more").mkdir()
    readings(0).to_json(folder / "more" / "0.json", orient="records", lines=True, date_format="iso")
    return Job(spark, folder)


@pytest.fixture(scope="module")
def story(job) -> dict[str, object]:
    """Run the job from change to change; return which batches ran in each of its shapes."""
    told = {}
    job.more(3)
    job.failing.add(2)
    with pytest.raises(Exception, match="no space left"):
        job.run(job.network(), "apart", chain="never")
    job.failing.clear()
    job.more()
    before = prints(job.folder / "apart")
    told["chained"] = job.run(
        job.network(kept="sums", top=True),
        "chained",
        carry_over=job.folder / "apart",
        renamed={"keep": "sums"},
    )
    told["untouched"] = prints(job.folder / "apart") == before
    job.more()
    told["wider"] = job.run(
        job.network(groups=8, kept="sums", more=True),
        "wider",
        carry_over=job.folder / "chained",
    )
    job.more()
    told["restarted"] = job.run(job.network(groups=8, kept="sums", more=True), "wider")
    job.more()
    told["narrow"] = job.run(
        job.network(groups=3, kept="sums"), "narrow", carry_over=job.folder / "wider", chain="never"
    )
    return told


def rows_until(files) -> pd.DataFrame:
    return pd.concat([readings(file) for file in range(files)])


def test_batches_are_counted_on_and_one_that_failed_comes_again(story) -> None:
    assert story["chained"] == [2, 3]
    assert story["wider"] == [4]
    assert story["restarted"] == [5]
    assert story["narrow"] == [6]


def test_every_batch_has_the_sums_of_a_job_that_was_never_stopped(job, story) -> None:
    assert len(story) > 1
    for batch in range(job.files):
        rows = rows_until(batch + 1)
        found = job.kept["keep", batch].set_index("device")
        expected = rows.groupby("device")["value"].agg(["sum", "size"])
        now = readings(batch)["device"].unique()
        assert found["sum"].to_dict().items() >= expected["sum"][now].to_dict().items()
        assert found["size"].to_dict().items() >= expected["size"][now].to_dict().items()


def test_windows_that_were_open_close_once_and_whole(job, story) -> None:
    assert len(story) > 1
    rows = rows_until(job.files)
    mark, kept = START - pd.Timedelta(days=1), []
    for file in range(job.files):
        mine = readings(file)
        kept.append(mine[mine["at"] >= mark])
        mark = max(mark, mine["at"].max())
    in_time = pd.concat(kept, ignore_index=True)
    assert 0 < len(in_time) < len(rows)
    minute = in_time["at"].dt.floor("min")
    over = in_time[minute + pd.Timedelta(minutes=1) <= mark]
    expected = over.groupby(["device", minute])["value"].sum()
    found = job.out("minutes").set_index(["device", "minute"])["value"]
    assert not found.index.duplicated().any()
    assert sorted(found) == sorted(expected)
    assert job.totals["narrow"]["minutes"].late_rows == len(rows) - len(in_time)


def test_counts_go_on_over_every_change(job, story) -> None:
    assert len(story) > 1
    totals = job.totals["narrow"]
    assert totals["clean"].rows_in == totals["sums"].rows_in == job.files * ROWS


def test_an_operator_that_came_later_begins_with_its_first_rows(job, story) -> None:
    assert story["chained"]
    assert sorted(batch for name, batch in job.kept if name == "top") == [2, 3]


def test_a_source_that_came_later_is_read_from_its_beginning_and_once(job, story) -> None:
    assert story["wider"]
    came = {batch: len(frame) for (name, batch), frame in job.kept.items() if name == "extra"}
    assert came == {4: ROWS, 5: 0}


def test_a_checkpoint_that_is_carried_over_keeps_every_byte(job, story) -> None:
    assert story["untouched"]
    assert not [file.name for file in job.folder.iterdir() if file.name.startswith(".")]


def test_a_checkpoint_shows_what_lies_in_it(job, story, spark) -> None:
    assert story["wider"]
    found = inventory(spark, read_checkpoint(job.folder / "wider"))
    assert (found.batch, found.begun) == (5, None)
    shown = {each.name: each for each in found.operators}
    assert sorted(shown) == ["clean", "extra", "minutes", "sums"]
    assert (shown["sums"].key_groups, shown["sums"].stored) == (8, 8)
    assert shown["sums"].tables == ("sums",)
    assert shown["clean"].rows_in == 6 * ROWS
    new, source = found.sources
    assert (new.name, new.watermark_us, source.name) == ("more", None, "readings")
    assert pd.Timestamp(source.watermark_us, unit="us", tz="UTC") == rows_until(6)["at"].max()
    page = Console(file=StringIO(), width=160)
    print_inventory(page, job.folder / "wider", found)
    text = page.file.getvalue()
    assert "4 operators" in text
    assert "batch 5 ended" in text
    assert '{"logOffset":5}' in text
    assert "2024-05-01 00:0" in text


def test_the_command_line_shows_a_checkpoint_as_json(job, story) -> None:
    assert story["wider"]
    done = subprocess.run(
        [sys.executable, "-m", "albic", "network", "show", job.folder / "wider", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["offsets"] == ['{"logOffset":0}', '{"logOffset":5}']
    names = [each["name"] for each in shown["operators"]]
    assert names == ["clean", "extra", "minutes", "sums"]


def refused(job, network, says, old="chained", new="refused", **options) -> None:
    """Expect a sentence, the old checkpoint as it was, and nothing new."""
    names = sorted(file.name for file in job.folder.iterdir())
    before = prints(job.folder / old)
    with pytest.raises(InvalidInput, match=says):
        network.start(job.folder / new, carry_over=job.folder / old, **options)
    assert prints(job.folder / old) == before
    assert sorted(file.name for file in job.folder.iterdir()) == names


def test_what_goes_wrong_leaves_nothing_behind(job, story, spark) -> None:
    assert story["narrow"]

    def broken(states, mine):  # noqa: ARG001
        raise KeyError("gone")

    more = {"groups": 8, "kept": "sums"}
    refused(job, job.network(**more, split=None), "'sums' had 4 key groups and now has 8")
    refused(job, job.network(**more, split=broken), "'sums', key .* raised KeyError: 'gone'")
    refused(job, job.network(**more, split="totals"), r"'sums': .* divide state\['sums'\]")
    refused(job, job.network(kept="sums"), "'kepe' cannot be renamed", renamed={"kepe": "sums"})
    refused(job, job.network(kept="sums"), "is there already", new="narrow")
    refused(job, job.network(kept="sums"), "there is no checkpoint", old="nowhere")
    other = job.network(kept="sums")
    elsewhere = Network(
        "other",
        [
            Source(
                "readings",
                numbers(spark).selectExpr("string(key) AS device", "timestamp AS at", "value"),
                "at",
            )
        ],
        other.operators,
    )
    refused(job, elsewhere, "'readings' is a rate-micro-batch now, which cannot go on at")
    stateful = Source("readings", other.sources[0].frame.dropDuplicates(["device"]), "at")
    refused(job, Network("other", [stateful], other.operators), "keeps state of Spark's own")


def test_an_interrupt_leaves_nothing_behind(job, story, monkeypatch) -> None:
    assert story["narrow"]
    names, before = sorted(job.folder.iterdir()), prints(job.folder / "wider")

    def interrupted(*_) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(carrying, "succeed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        job.network(kept="sums", groups=8, more=True).start(
            job.folder / "new", carry_over=job.folder / "wider"
        )
    assert sorted(job.folder.iterdir()) == names
    assert prints(job.folder / "wider") == before


#: Carries over in a process of its own, and is killed right before it would be done.
KILLED = """
import os, signal, sys
from pathlib import Path
import albic
from albic.streams import carrying
from tests.spark.test_carrying import Job

carrying.succeed = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
folder = Path(sys.argv[1])
with albic.local_cluster(nodes=1) as cluster:
    network = Job(cluster.spark, folder).network(groups=8, kept="sums", more=True)
    network.start(folder / "killed", carry_over=folder / "wider")
"""


def test_what_a_kill_leaves_is_swept_by_the_next_carry_over(job, story) -> None:
    assert story["narrow"]
    names, before = sorted(job.folder.iterdir()), prints(job.folder / "wider")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, job.folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    left = [file for file in sorted(job.folder.iterdir()) if file not in names]
    assert [file.name.startswith(".killed-") for file in left] == [True, True]
    assert any((folder / "checkpoint" / "state").is_dir() for folder in left)
    network = job.network(groups=8, kept="sums", more=True)
    running = network.start(
        job.folder / "killed", carry_over=job.folder / "wider", all_there_is=True
    )
    running.query.awaitTermination()
    assert [batch.batch_id for batch in running.batches()] == [6]
    assert running.totals("sums").rows_in == job.files * ROWS
    assert sorted(job.folder.iterdir()) == sorted([*names, job.folder / "killed"])
    assert prints(job.folder / "wider") == before


def test_a_damaged_checkpoint_is_refused_by_name(job, story) -> None:
    assert story["narrow"]
    shutil.copytree(job.folder / "chained", job.folder / "damaged")
    for file in (job.folder / "damaged" / "state").rglob("*.zip"):
        file.write_bytes(b"nothing")
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    refused(job, job.network(kept="sums"), "the state in .*damaged cannot be read", old="damaged")


def test_a_checkpoint_of_a_plain_query_is_refused(job, story, spark) -> None:
    assert story["narrow"]
    counted = (
        spark.readStream.schema(COLUMNS).json(str(job.folder / "in")).groupBy("device").count()
    )
    writer = counted.writeStream.format("noop").outputMode("complete")
    writer = writer.option("checkpointLocation", str(job.folder / "plain"))
    writer.trigger(availableNow=True).start().awaitTermination()
    refused(
        job, job.network(), "not only, the checkpoint of a network: .*stateStoreSave", old="plain"
    )


def test_a_checkpoint_in_use_is_refused(job, story) -> None:
    assert story["narrow"]
    shutil.copytree(job.folder / "narrow", job.folder / "busy")
    network = job.network(groups=3, kept="sums")
    running = network.start(job.folder / "busy", chain="never")
    try:
        with pytest.raises(InvalidInput, match=r"'changing' is still at work on .*busy; stop it"):
            network.start(job.folder / "taken", carry_over=job.folder / "busy")
    finally:
        running.stop()
    assert not (job.folder / "taken").exists()
