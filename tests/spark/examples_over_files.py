"""The three examples as streams over files."""

import numpy as np
import pyarrow as pa
from pyspark.cloudpickle import register_pickle_by_value
from pyspark.sql import DataFrame

from examples import account_balances, ad_clicks, windowed_counts
from tests.spark.exactness import FILES, LATE_S, NEVER, STEP_S, WHEN, Case, at, filed

#: The workers do not have the folder of the examples; as a script, an example travels like this.
register_pickle_by_value(account_balances)


def view_rows(rng: np.random.Generator) -> dict[str, list[list[tuple]]]:
    times = rng.uniform(0, STEP_S * (FILES - 1) - LATE_S, 4000)
    pages = (30 * rng.random(times.size) ** 3).astype(int)
    files = filed([(t, (at(t), int(page))) for t, page in zip(times, pages, strict=True)], rng)
    files[-1].append((NEVER, 0))
    return {"views": files}


def ad_rows(rng: np.random.Generator) -> dict[str, list[list[tuple]]]:
    shown, clicks = [], []
    for ad in range(1500):
        seconds = rng.uniform(0, STEP_S * (FILES - 1) - LATE_S - 8)
        shown.append((seconds, (ad, ad % 5, at(seconds))))
        # Some are clicked twice, and some too late to count.
        for _ in range(rng.integers(0, 3)):
            later = seconds + rng.uniform(0, 8)
            clicks.append((later, (ad, at(later))))
    files = {"shown": filed(shown, rng), "clicks": filed(clicks, rng)}
    files["shown"][-1].append((-1, 0, NEVER))
    files["clicks"][-1].append((-2, NEVER))
    return files


def payment_rows(rng: np.random.Generator) -> dict[str, list[list[tuple]]]:
    numbers = np.array_split(np.arange(2200), FILES)
    return {
        "payments": [
            [(int(rng.integers(0, 60)), int(n), int(rng.integers(-100, 100))) for n in part]
            for part in numbers
        ]
    }


def balances_in_sql(payments: DataFrame) -> DataFrame:
    """Return what the Python operator should say, by other means."""
    so_far = "SUM(amount) OVER (PARTITION BY account ORDER BY payment) AS balance"
    return payments.selectExpr("account", "payment", "amount", so_far)


CASES = (
    Case(
        "account_balances",
        {
            "payments": pa.schema(
                {"account": pa.int64(), "payment": pa.int64(), "amount": pa.int64()}
            )
        },
        payment_rows,
        account_balances.balances,
        balances_in_sql,
    ),
    Case(
        "windowed_counts",
        {"views": pa.schema({"time": WHEN, "page": pa.int64()})},
        view_rows,
        windowed_counts.counts,
        lambda views: windowed_counts.counts(views.where(f"time < '{NEVER}'")),
    ),
    Case(
        "ad_clicks",
        {
            "shown": pa.schema({"ad": pa.int64(), "campaign": pa.int64(), "shown_at": WHEN}),
            "clicks": pa.schema({"clicked_ad": pa.int64(), "clicked_at": WHEN}),
        },
        ad_rows,
        ad_clicks.outcomes,
        lambda shown, clicks: ad_clicks.outcomes(shown.where("ad >= 0"), clicks),
    ),
)
