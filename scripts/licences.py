"""The page about the licences of everything that albic brings along.

``python scripts/licences.py > docs/licences.md`` writes it, out of what the installed packages say
of themselves. Versions are left out: they are in the lock.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

#: What stands between the name of a requirement and its conditions.
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
#: Longer texts are whole licences that somebody put into a field for a name.
_LONGEST = 60
#: Other names of the same licences.
_SPDX = {
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "http://www.apache.org/licenses/LICENSE-2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "BSD": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "CC0": "CC0-1.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "PSF": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0",
}
HEAD = """\
# Licences

This page is generated: `make licences`. It names what an installation of albic with all extras
brings along, and the licence that each package declares. albic itself is under Apache-2.0.

| package | licence | comes with |
|---|---|---|
"""


def licence_of(package: Distribution) -> str:
    """Return what a package says of its licence, in a few words."""
    told = package.metadata
    if expression := told.get("License-Expression"):
        return str(expression)
    classes = [each for each in told.get_all("Classifier") or [] if each.startswith("License ::")]
    named = [each.rsplit("::", 1)[-1].strip() for each in classes]
    named = [name for name in named if name != "OSI Approved"] or [
        line for line in (told.get("License") or "").splitlines()[:1] if len(line) <= _LONGEST
    ]
    return " AND ".join(_SPDX.get(name, name) for name in named) or "not declared"


def requirements(package: Distribution, extras: frozenset[str]) -> list[tuple[str, str]]:
    """Return the packages that one asks for, each with the extra that it belongs to."""
    found = []
    for line in package.requires or []:
        name, condition = _NAME.match(line), _EXTRA.search(line)
        extra = condition[1] if condition else ""
        if name is not None and (not extra or extra in extras):
            found.append((_plain(name[0]), extra))
    return found


def table() -> dict[str, tuple[str, str]]:
    """Return the licence and the reason of each package that is installed, by name."""
    root = distribution("albic")
    every = frozenset(root.metadata.get_all("Provides-Extra") or [])
    found: dict[str, tuple[str, str]] = {}
    waiting = [(name, extra or "albic") for name, extra in sorted(requirements(root, every))]
    while waiting:
        name, why = waiting.pop(0)
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            # For another platform, or another version of Python.
            continue
        found[name] = licence_of(package), why
        waiting += [(inner, why) for inner, _ in sorted(requirements(package, frozenset()))]
    return dict(sorted(found.items()))


def page() -> str:
    """Return the page."""
    rows = (f"| {name} | {licence} | {why} |\n" for name, (licence, why) in table().items())
    return HEAD + "".join(rows)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.stdout.write(page())
