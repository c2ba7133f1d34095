"""How long the properties are searched; HYPOTHESIS_PROFILE chooses."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "dev",
    max_examples=50,
    # The first example of a run may compile, and a shared machine may stall: neither is a finding.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# For ``make check``, which is run again and again while one works.
settings.register_profile("quick", settings.get_profile("dev"), max_examples=15)
settings.register_profile(
    "ci",
    settings.get_profile("dev"),
    max_examples=100,
    # A gate must not fail on a change that has nothing to do with it; nightly looks further.
    derandomize=True,
    print_blob=True,
)
settings.register_profile(
    "nightly", settings.get_profile("dev"), max_examples=2000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

#: Folders whose tests run whole experiments, servers or files: ``make check`` has about a
#: minute, and leaves them out.
SLOW_FOLDERS = ("bench", "convergence", "unit/experiments", "unit/jobs", "unit/sim")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow folders."""
    folders = [Path(__file__).parent / folder for folder in SLOW_FOLDERS]
    for item in items:
        if any(folder in item.path.parents for folder in folders):
            item.add_marker(pytest.mark.slow)
