"""Sums that run on: the state of most operators, as an Arrow table with a row a key."""

from collections.abc import Sequence

import pyarrow as pa


def summed(table: pa.Table, key: Sequence[str], values: Sequence[str]) -> pa.Table:
    """Return the sum of each value for each key; keys in the order in which they come first."""
    # With threads the order would change from run to run.
    grouped = table.group_by(list(key), use_threads=False)
    found = grouped.aggregate([(value, "sum") for value in values])
    return found.select([*key, *(f"{value}_sum" for value in values)]).rename_columns(
        [*key, *values]
    )


def added(
    before: pa.Table | None, new: pa.Table, key: Sequence[str], values: Sequence[str]
) -> tuple[pa.Table, pa.Table]:
    """Return all sums with ``new`` added to them, and only those that changed."""
    fresh = summed(new, key, values)
    if before is None:
        return fresh, fresh
    # What changed comes first, and so it does in the sums.
    total = summed(pa.concat_tables([fresh, before]), key, values)
    return total, total.slice(0, fresh.num_rows)


def counted(table: pa.Table, name: str = "flights") -> pa.Table:
    """Return the rows with a column of ones, to be summed."""
    return table.append_column(name, pa.repeat(pa.scalar(1, pa.int64()), table.num_rows))


def latest(tables: Sequence[pa.Table], key: Sequence[str]) -> pa.Table:
    """Return one row for each key, out of the first table that has it."""
    whole = pa.concat_tables(tables)
    values = [name for name in whole.column_names if name not in key]
    grouped = whole.group_by(list(key), use_threads=False)
    found = grouped.aggregate([(name, "first") for name in values])
    return found.select([*key, *(f"{name}_first" for name in values)]).rename_columns(
        [*key, *values]
    )
