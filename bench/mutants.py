"""Whether tests would notice: one small change at a time to a file, and its tests run against it.

``make mutants`` runs it. A change that no test notices survives; each survivor is either a test
that is missing or a change that makes no difference, and docs/mutants.md says which.
"""

import argparse
import ast
import copy
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
#: Files whose tests are held to this, and the tests that should notice.
TARGETS = {
    "src/albic/model/validation.py": ("tests/unit/model/test_validation.py",),
    "src/albic/control/invariants.py": ("tests/unit/control/test_invariants.py",),
    "src/albic/control/acting.py": ("tests/unit/control/test_invariants.py",),
    "src/albic/spark/placement.py": ("tests/unit/spark/test_steering.py",),
}
PATIENCE_S = 120.0
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the line it is in, what it does, and the whole changed file."""

    line: int
    change: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every change there is to make; words in f-strings and annotations are left alone."""
    tree = ast.parse(source)
    nodes = list(_code(tree))
    for at, node in enumerate(nodes):
        for told, change in _changes(node):
            other = copy.deepcopy(tree)
            before = ast.unparse(node)
            change(list(_code(other))[at])
            yield Mutant(
                getattr(node, "lineno", 0),
                f"{before[:70]} ({told})",
                ast.unparse(ast.fix_missing_locations(other)),
            )


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that do something, always in the same order."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.JoinedStr | ast.AnnAssign | ast.arguments | ast.Import):
            continue
        yield child
        yield from _code(child)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """Yield what can be changed about a node, in a word, and how."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        yield other.__name__, lambda it: it.ops.__setitem__(0, other())  # type: ignore[attr-defined]
    if isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield swapped.__name__, lambda it: setattr(it, "op", swapped())
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        instead = OPERATORS[type(node.op)]
        yield instead.__name__, lambda it: setattr(it, "op", instead())
    if isinstance(node, ast.If):
        yield "always", lambda it: setattr(it, "test", ast.Constant(value=True))
        yield "never", lambda it: setattr(it, "test", ast.Constant(value=False))
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "one more", lambda it: setattr(it, "value", it.value + 1)  # type: ignore[attr-defined]


def survives(mutant: Mutant, target: str, tests: tuple[str, ...]) -> bool:
    """Return whether no test notices a change."""
    with TemporaryDirectory(prefix="albic-mutant-") as folder:
        shutil.copytree(
            ROOT / "src",
            Path(folder) / "src",
            ignore=shutil.ignore_patterns("__pycache__", "*.nb?"),
        )
        (Path(folder) / target).write_text(mutant.source, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": f"{folder}/src", "HYPOTHESIS_PROFILE": "quick"}
        words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        try:
            done = subprocess.run(  # noqa: S603  our own program
                words,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                check=False,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def main() -> int:
    """Print the survivors of every file, and how many there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="a part of the path of a file")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    alive = 0
    for target, tests in TARGETS.items():
        if options.only and options.only not in target:
            continue
        source = (ROOT / target).read_text(encoding="utf-8")
        if not survives(Mutant(0, "none", source), target, tests):
            print(f"{target}: its tests fail without any change; mend that first")
            return 2
        every = list(mutants(source))
        with ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(lambda one: survives(one, target, tests), every))  # noqa: B023
        left = [mutant for mutant, lives in zip(every, found, strict=True) if lives]
        print(f"{target}: {len(every)} changes, {len(left)} survive")
        for mutant in left:
            print(f"  line {mutant.line}: {mutant.change}")
        alive += len(left)
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
