#!/bin/sh
# Runs the contract tests of the Spark adapter against the newest release of each Spark version.
#
#   scripts/spark-versions.sh              all that albic serves
#   scripts/spark-versions.sh 4.1 4.2      these
#   TESTS="tests/spark/test_placement.py" scripts/spark-versions.sh 4.1
#
# Each version gets an environment of its own below .venv, in which only Spark is another; the rest
# comes from .venv. They may be deleted at any time.
set -eu

cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-.venv/bin/python}
ROOT=${ROOT:-.venv}
TESTS=${TESTS:-tests/spark/test_placement.py tests/spark/test_executors.py tests/spark/test_attach.py}

[ $# -gt 0 ] || set -- 4.1 4.2 4.3

failed=""
for version in "$@"; do
    folder=$ROOT/spark-$version
    "$PYTHON" -m venv --without-pip "$folder"
    # py4j comes along: each version of Spark wants its own.
    "$PYTHON" -m pip --python "$folder/bin/python" install --quiet --disable-pip-version-check \
        --upgrade --no-deps "pyspark==$version.*"
    wanted=$("$folder/bin/python" -c 'import importlib.metadata as m, re
print(next(r for r in m.requires("pyspark") if re.match(r"py4j\b", r)).split(";")[0])')
    "$PYTHON" -m pip --python "$folder/bin/python" install --quiet --disable-pip-version-check \
        --upgrade --no-deps "$wanted"
    "$PYTHON" - "$folder" <<'PY'
import pathlib, sys, sysconfig
(site,) = pathlib.Path(sys.argv[1]).glob("lib/python*/site-packages")
# Behind the environment's own packages, so that only what it lacks comes from here.
line = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
(site / "rest.pth").write_text(line)
PY
    "$folder/bin/python" -c 'import pyspark; print("Spark", pyspark.__version__)'
    # Spark 4.1 leaves sockets to the garbage collector, which says so.
    PYTHONPATH="$PWD/src:$PWD" "$folder/bin/python" -m pytest -q -m spark $TESTS \
        -W ignore::pytest.PytestUnraisableExceptionWarning || failed="$failed $version"
done
[ -z "$failed" ] || { echo "failed against Spark$failed" >&2; exit 1; }
