"""How long the properties are searched; HYPOTHESIS_PROFILE chooses."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dev",
    max_examples=50,
    # The first example of a run may compile, and a shared machine may stall: neither is a finding.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
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
