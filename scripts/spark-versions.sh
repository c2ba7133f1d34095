#!/bin/sh
# Runs the contract tests of the Spark adapter against the newest release of each Spark version, and
# writes the table in docs/operating.md.
#
#   scripts/spark-versions.sh              all that albic serves
#   scripts/spark-versions.sh 4.1 4.2      these; the table stays as it is
#   TESTS="tests/spark/test_placement.py" scripts/spark-versions.sh 4.1
#
# Each version gets an environment of its own below .venv, in which only Spark is another; the rest
# comes from .venv. They may be deleted at any time.
set -eu

cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-.venv/bin/python}
ROOT=${ROOT:-.venv}
# By name, for other files need what older versions lack.
TESTS=${TESTS:-tests/spark/test_contract.py tests/spark/test_attach.py tests/spark/test_placement.py}

all=""
[ $# -gt 0 ] || { all=yes; set -- 3.5 4.0 4.1 4.2 4.3; }

failed=""
results=""
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
    # Spark 3.5 cuts batches of pyarrow at numbers like 2.0, which newer ones refuse.
    [ "$version" != 3.5 ] || "$PYTHON" -m pip --python "$folder/bin/python" install --quiet \
        --disable-pip-version-check --upgrade --no-deps "pyarrow==18.*"
    "$PYTHON" - "$folder" <<'PY'
import pathlib, sys, sysconfig
(site,) = pathlib.Path(sys.argv[1]).glob("lib/python*/site-packages")
# Behind the environment's own packages, so that only what it lacks comes from here.
line = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
(site / "rest.pth").write_text(line)
PY
    exact=$("$folder/bin/python" -c 'import pyspark; print(pyspark.__version__)')
    echo "Spark $exact"
    # Spark 4.1 leaves sockets to the garbage collector, which says so; 3.5 uses distutils.
    PYTHONPATH="$PWD/src:$PWD" "$folder/bin/python" -m pytest -q -m contract $TESTS \
        --junitxml "$folder/contract.xml" \
        -W ignore::pytest.PytestUnraisableExceptionWarning \
        -W "ignore:distutils:DeprecationWarning" || failed="$failed $version"
    results="$results $exact=$folder/contract.xml"
done
[ -z "$all" ] || "$PYTHON" scripts/versions_table.py $results
[ -z "$failed" ] || { echo "failed against Spark$failed" >&2; exit 1; }
