"""Traces in the shape of the paper's Real Jobs 1 to 4, from a seed.

Operators, key groups, nodes and partitioning are the paper's. What it leaves open is decided here:
how popular keys are, how that changes, how many bytes a tuple has, and that the cluster has a mean
load of 50 %. ``albic data trace`` makes traces of the data themselves, and figures are made from
those; these need no data, and serve tests.
"""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints
from albic.model import Cluster, InvalidInput, Node, Operator, Topology
from albic.sim.costs import PAPER_COSTS
from albic.sim.placed_demand import PAPER_ROW_BYTES, PAPER_STATE_BYTES, apart, dealt, half_busy
from albic.sim.trace import Trace

#: The paper's cluster for all real jobs.
NODES = 20
#: Real Jobs 2 to 4 have five key groups an operator a node; Real Job 1 has a hundred an operator.
KEY_GROUPS = 100
STEP_S = 300.0
#: Keys of an operator, and how unequal they are; hashing makes key groups far more equal.
KEYS, ZIPF = 20_000, 0.8
#: How much of a key group's deviation is left after a period. What is new is the job's ``noise``.
MEMORY = 0.8


@dataclass(frozen=True, slots=True)
class _Stage:
    """An operator: ``reads`` is its part of the source, ``even`` that all its keys are alike."""

    name: str
    reads: float = 0.0
    even: bool = False
    effort: float = 1.0


@dataclass(frozen=True, slots=True)
class _Stream:
    """Tuples from one operator to another, as many a tuple; one-to-one or to all."""

    up: int
    down: int
    ratio: float = 1.0
    one_to_one: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    """Operators and streams; ``noise`` is how much a key group's part changes in a period."""

    stages: tuple[_Stage, ...]
    streams: tuple[_Stream, ...]
    noise: float = 0.04


#: The paper calls this input fluctuating: so much that Flux cannot keep up, and MILP can.
_WIKIPEDIA = _Job(
    (_Stage("geohash", reads=1.0, even=True), _Stage("top-k"), _Stage("global-top-k")),
    (_Stream(0, 1), _Stream(1, 2, ratio=0.2)),
    noise=0.2,
)
_AIRPLANES = _Job(
    (_Stage("extract-delay", reads=1.0), _Stage("sum-delay")), (_Stream(0, 1, one_to_one=True),)
)
_ROUTES = _Job((*_AIRPLANES.stages, _Stage("route-delay")), (*_AIRPLANES.streams, _Stream(0, 2)))
#: The ratios let about 61 % of the traffic be local, which the paper's COLA reached.
_WEATHER = _Job(
    (
        *_ROUTES.stages,
        _Stage("rainscore", reads=0.5, even=True),
        _Stage("join"),
        _Stage("courier-efficiency"),
        _Stage("store-delays", effort=2.0),
        _Stage("store-efficiency", effort=2.0),
    ),
    (
        *_ROUTES.streams,
        _Stream(2, 4, one_to_one=True),
        _Stream(3, 4, ratio=2.0),
        _Stream(4, 5, ratio=0.5, one_to_one=True),
        _Stream(1, 6, ratio=0.1, one_to_one=True),
        _Stream(5, 7, ratio=0.1, one_to_one=True),
    ),
)
_JOBS = {1: _WIKIPEDIA, 2: _AIRPLANES, 3: _ROUTES, 4: _WEATHER}


def real_job(number: int, periods: int, seed: int) -> Trace:
    """Return a trace shaped like Real Job ``number`` of the paper.

    Real Job 1 starts from a random even allocation, the others from one in which nothing that
    could be together is.
    """
    if number not in _JOBS:
        raise InvalidInput(f"there is no Real Job {number}; the paper has 1, 2, 3 and 4")
    if periods < 1:
        raise InvalidInput(f"{periods} periods were asked for; it must be 1 or more")
    rng = np.random.default_rng((seed, number))
    job = _JOBS[number]
    popularity = [_popularity(stage, job.noise, periods, rng) for stage in job.stages]
    tuples, source = _flow(job, popularity, _rates(periods, rng))
    sender, receiver, rate = _traffic(job, popularity, tuples)
    topology = Topology(
        tuple(Operator(stage.name, KEY_GROUPS) for stage in job.stages),
        tuple((stream.up, stream.down) for stream in job.streams),
    )
    trace = Trace(
        topology=topology,
        cluster=Cluster(tuple(Node(f"node-{at:03d}") for at in range(NODES))),
        allocation=dealt(topology, NODES, seed) if number == 1 else apart(topology, NODES),
        step_s=STEP_S,
        effort=np.array([stage.effort for stage in job.stages]),
        tuples_per_s=np.concatenate(tuples, axis=1),
        source_bytes_per_s=PAPER_ROW_BYTES * np.concatenate(source, axis=1),
        state_bytes=PAPER_STATE_BYTES * KEY_GROUPS * np.concatenate(popularity, axis=1),
        sender=sender,
        receiver=receiver,
        traffic_bytes_per_s=PAPER_ROW_BYTES * rate,
        about=f"seed {seed}",
    )
    return half_busy(trace, PAPER_COSTS)


def _popularity(stage: _Stage, noise: float, periods: int, rng: np.random.Generator) -> Floats:
    """Return the part of an operator's tuples that each key group gets, a row a period."""
    weight = np.ones(KEYS) if stage.even else 1.0 / np.arange(1, KEYS + 1) ** ZIPF
    home = rng.permutation(KEYS) % KEY_GROUPS
    base = np.bincount(home, weights=weight, minlength=KEY_GROUPS)
    deviation = np.zeros(KEY_GROUPS)
    rows = np.empty((periods, KEY_GROUPS))
    for period in range(periods):
        fresh = rng.normal(0.0, 0.1 * noise if stage.even else noise, KEY_GROUPS)
        deviation = MEMORY * deviation + fresh
        rows[period] = base * np.exp(deviation)
    shares: Floats = rows / rows.sum(axis=1, keepdims=True)
    return shares


def _rates(periods: int, rng: np.random.Generator) -> Floats:
    """Return the rate of the source: a slow swing of 10 %, and 2 % of noise."""
    swing = 0.1 * np.sin(2 * np.pi * np.arange(periods) / 48)
    rates: Floats = 1 + swing + rng.normal(0.0, 0.02, periods)
    return rates


def _flow(job: _Job, popularity: list[Floats], rates: Floats) -> tuple[list[Floats], list[Floats]]:
    """Return the tuples/s of each operator's key groups, and those of them from the source."""
    source = [
        stage.reads * rates[:, None] * shares
        for stage, shares in zip(job.stages, popularity, strict=True)
    ]
    tuples = [arriving.copy() for arriving in source]
    for stream in sorted(job.streams, key=lambda stream: (stream.down, stream.up)):
        tuples[stream.down] += _arriving(stream, tuples[stream.up], popularity)
    return tuples, source


def _arriving(stream: _Stream, sent: Floats, popularity: list[Floats]) -> Floats:
    """Return what a stream brings to each key group of its receiver."""
    if stream.one_to_one:
        return stream.ratio * sent
    spread: Floats = stream.ratio * sent.sum(axis=1, keepdims=True) * popularity[stream.down]
    return spread


def _traffic(
    job: _Job, popularity: list[Floats], tuples: list[Floats]
) -> tuple[Ints, Ints, Floats]:
    """Return senders, receivers and tuples/s of every pair, a row a period."""
    each = np.arange(KEY_GROUPS)
    senders, receivers, rates = [], [], []
    for stream in job.streams:
        sent = stream.ratio * tuples[stream.up]
        if stream.one_to_one:
            up, down, rate = each, each, sent
        else:
            up, down = np.repeat(each, KEY_GROUPS), np.tile(each, KEY_GROUPS)
            rate = sent[:, up] * popularity[stream.down][:, down]
        senders.append(stream.up * KEY_GROUPS + up)
        receivers.append(stream.down * KEY_GROUPS + down)
        rates.append(rate)
    return np.concatenate(senders), np.concatenate(receivers), np.concatenate(rates, axis=1)
