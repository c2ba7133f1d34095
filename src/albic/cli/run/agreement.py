"""Whether the runs of a job came to the results that they must come to, whoever planned."""

from pathlib import Path

from albic.cli.run.results import folder_name, label
from albic.cli.run.wishes import NONE, Wishes
from albic.cli.shared.screen import count_text
from albic.jobs.real import REAL_JOBS, RealJob, expected, results
from albic.reports.repeats import turns
from albic.wiring import LocalCluster


def job_of(wishes: Wishes, name: str) -> RealJob:
    """Return the job as ``name`` runs it."""
    return REAL_JOBS[wishes.variant(name)[0]]


def agreement(wishes: Wishes, cluster: LocalCluster, folder: Path) -> tuple[bool, str]:
    """Return whether the results are those of plain SQL, as they must be wherever state lay."""
    if wishes.store is not None:
        return True, f"The results are in {wishes.store}, with what other runs wrote there."
    job, inputs = job_of(wishes, NONE), wishes.inputs(folder)
    wanted = {name: sorted(rows) for name, rows in expected(job, cluster.spark, inputs).items()}
    for each, turn in turns(wishes.names(), wishes.repeats):
        ran_in = folder / folder_name(each, turn)
        found = results(job_of(wishes, each), wishes.inputs(ran_in))
        if {name: sorted(rows) for name, rows in found.items()} != wanted:
            return False, f"THE RESULTS WITH {label(each)} ARE NOT THOSE OF PLAIN SQL; report it."
    rows = count_text(sum(len(rows) for rows in wanted.values()), "row")
    return True, f"Every run came to the results of plain Spark SQL over the same data: {rows}."
