"""Trace files: the layout is in docs/formats.md."""

import io
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albic.model import Allocation, Cluster, InvalidInput, Node, Operator, Topology
from albic.model.files import blaming, refuse_device, save_bytes
from albic.sim.trace import PER_GROUP, Trace

FORMAT = "albic-trace/1"
#: The most that the arrays of a trace may take; a small file can unpack to any size.
MOST_BYTES = 2**30
#: How numpy's files begin, by version, and what its archives raise when they are damaged.
_ARRAY_MARK = b"\x93NUMPY"
HEADS = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
BROKEN = (EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
#: Every array of a file, with the kind of its numbers: text, truth, whole or real.
ARRAYS = {
    "format": "U",
    "operators": "U",
    "key_groups": "iu",
    "stateful": "b",
    "streams": "iu",
    "nodes": "U",
    "capacities": "f",
    "owner": "iu",
    "step_s": "f",
    "effort": "f",
    "traffic_from": "iu",
    "traffic_to": "iu",
    "traffic_bytes_per_s": "f",
    **dict.fromkeys(PER_GROUP, "f"),
}
#: Those that files of before do not have.
LATER = {"about": "U"}


def save_trace(path: Path, trace: Trace) -> None:
    """Write ``trace`` to ``path``, whole or not at all; amounts keep seven digits."""
    operators, nodes = trace.topology.operators, trace.cluster.nodes
    packed = io.BytesIO()
    np.savez_compressed(
        packed,
        format=np.array(FORMAT),
        operators=np.array([operator.name for operator in operators]),
        key_groups=np.array([operator.key_groups for operator in operators]),
        stateful=np.array([operator.stateful for operator in operators]),
        streams=np.array(trace.topology.streams, dtype=np.int64).reshape(-1, 2),
        nodes=np.array([node.id for node in nodes]),
        capacities=trace.cluster.capacities(),
        owner=trace.allocation.owner,
        step_s=np.array(trace.step_s),
        effort=trace.effort,
        traffic_from=trace.sender,
        traffic_to=trace.receiver,
        traffic_bytes_per_s=trace.traffic_bytes_per_s.astype(np.float32),
        about=np.array(trace.about),
        **{name: getattr(trace, name).astype(np.float32) for name in PER_GROUP},
    )
    with blaming(path):
        save_bytes(path, packed.getvalue())


def load_trace(path: Path) -> Trace:
    """Return the trace in the file at ``path``."""
    with blaming(path):
        found = _arrays(path)
        if str(found["format"]) != FORMAT:
            raise InvalidInput(f"has the format {str(found['format'])!r}, expected {FORMAT!r}")
        return Trace(
            topology=_topology(found),
            cluster=_cluster(found),
            allocation=Allocation(found["owner"]),
            step_s=float(found["step_s"]),
            effort=found["effort"],
            tuples_per_s=found["tuples_per_s"],
            source_bytes_per_s=found["source_bytes_per_s"],
            state_bytes=found["state_bytes"],
            sender=found["traffic_from"],
            receiver=found["traffic_to"],
            traffic_bytes_per_s=found["traffic_bytes_per_s"],
            about=str(found.get("about", "")),
        )


def _arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file; refuse what is no trace."""
    try:
        # Opened here, for numpy does not close what it cannot read.
        with path.open("rb") as stream:
            refuse_device(stream)
            if stream.read(len(_ARRAY_MARK)) == _ARRAY_MARK:
                raise InvalidInput("is one array, not a trace of several")
            with zipfile.ZipFile(stream) as archive:
                names = _expect_room(archive)
            stream.seek(0)
            file = np.load(stream, allow_pickle=False)
            found = {name: file[name] for name in names}
    except OSError as wrong:
        raise InvalidInput(f"cannot be read: {(wrong.strerror or str(wrong)).lower()}") from None
    except (*BROKEN, ValueError):
        # What numpy says about it is advice to load it unsafely.
        raise InvalidInput("is not a trace: no NumPy archive can be read from it") from None
    _expect_kinds(found)
    return found


def _expect_room(archive: zipfile.ZipFile) -> list[str]:
    """Return the arrays to read; refuse missing ones, and those larger than what is in the file."""
    infos = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    if missing := sorted(ARRAYS.keys() - infos.keys()):
        raise InvalidInput(f"has no array {missing[0]!r}; it is not a trace")
    names = [*ARRAYS, *(name for name in LATER if name in infos)]
    if sum(infos[name].file_size for name in names) > MOST_BYTES:
        raise InvalidInput(f"has arrays of more than {MOST_BYTES >> 20} MiB")
    for name in names:
        with archive.open(infos[name]) as member:
            major, _ = np.lib.format.read_magic(member)
            head = HEADS.get(major)
            shape, _, dtype = head(member) if head else ((-1,), False, np.dtype(float))
        # Room is made for what a head says before anybody sees that it lies.
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > infos[name].file_size:
            raise InvalidInput(f"{name} has the shape {shape}, and not the numbers for it")
    return names


def _expect_kinds(found: dict[str, npt.NDArray[Any]]) -> None:
    """Refuse arrays of another kind of numbers, and many values where one is meant."""
    for name, values in found.items():
        if values.dtype.kind not in {**ARRAYS, **LATER}[name]:
            raise InvalidInput(f"{name} has numbers of the kind {values.dtype}")
    for name in ("format", "step_s", "about"):
        if name in found and found[name].shape != ():
            raise InvalidInput(f"{name} must be one value")


def _topology(found: dict[str, npt.NDArray[Any]]) -> Topology:
    """Return the job."""
    names, sizes, stateful = found["operators"], found["key_groups"], found["stateful"]
    if not (names.ndim == 1 and names.shape == sizes.shape == stateful.shape):
        raise InvalidInput("operators, key_groups and stateful must be rows of the same length")
    if found["streams"].ndim != 2 or found["streams"].shape[1] != 2:
        raise InvalidInput(f"streams has shape {found['streams'].shape}, expected pairs")
    return Topology(
        tuple(
            Operator(str(name), int(size), bool(keeps))
            for name, size, keeps in zip(names, sizes, stateful, strict=True)
        ),
        tuple((int(up), int(down)) for up, down in found["streams"]),
    )


def _cluster(found: dict[str, npt.NDArray[Any]]) -> Cluster:
    """Return the nodes."""
    ids, capacities = found["nodes"], found["capacities"]
    if not (ids.ndim == 1 and ids.shape == capacities.shape):
        raise InvalidInput("nodes and capacities must be rows of the same length")
    return Cluster(
        tuple(
            Node(str(name), float(capacity)) for name, capacity in zip(ids, capacities, strict=True)
        )
    )
