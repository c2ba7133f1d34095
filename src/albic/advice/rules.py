"""All rules, in the order in which people should hear of them."""

from collections.abc import Callable, Iterator

from albic.advice import flow, granularity, pace, surroundings
from albic.advice.evidence import Evidence
from albic.advice.finding import Finding

Rule = Callable[[Evidence], Iterator[Finding]]

#: What cannot be met at all first, then what costs most as a rule.
RULES: tuple[Rule, ...] = (
    pace.hopeless_interval,
    granularity.oversized_key_groups,
    granularity.too_few_key_groups,
    pace.slow_executors,
    flow.short_of_memory,
    flow.short_of_network,
    granularity.mostly_fixed_cost,
    surroundings.dear_checkpoint_files,
    surroundings.dear_state_snapshots,
    flow.one_to_one_edges,
    surroundings.speculation,
    surroundings.restless_state,
    surroundings.needless_wait,
)


def advise(seen: Evidence) -> tuple[Finding, ...]:
    """Return what placement cannot fix, as far as ``seen`` shows it."""
    return tuple(finding for rule in RULES for finding in rule(seen))
