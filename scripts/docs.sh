#!/bin/sh
# Builds the site of docs/ into out/site, with warnings as errors, and looks at what was built.
# The tools live in .venv/docs, as requirements-docs.lock names them.
set -eu

cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-.venv/bin/python}
TOOLS=.venv/docs
if ! cmp -s requirements-docs.lock "$TOOLS/.installed"; then
    printf 'docs: making %s with what builds the site\n' "$TOOLS" >&2
    "$PYTHON" -m venv --clear "$TOOLS"
    "$TOOLS/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps \
        --requirement requirements-docs.lock
    cp requirements-docs.lock "$TOOLS/.installed"
fi
# Material tells of its successor at every build; decision 018 has it.
NO_MKDOCS_2_WARNING=1 "$TOOLS/bin/mkdocs" build --strict --clean --quiet
"$PYTHON" scripts/look_at_site.py out/site
