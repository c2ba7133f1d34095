"""Keep balances in Python state; a node that joins later gets its share of it.

Run it with ``.venv/bin/python examples/account_balances.py``; it takes half a minute.
"""

import logging
from tempfile import TemporaryDirectory

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import albic


class Balance(StatefulProcessor):
    def init(self, handle):
        self._balance = handle.getValueState("balance", "balance long")

    def handleInputRows(self, key, rows, timerValues):
        payments = pd.concat(rows).sort_values("payment")
        (before,) = self._balance.get() or (0,)
        payments["balance"] = before + payments["amount"].cumsum()
        self._balance.update((int(payments["balance"].iloc[-1]),))
        yield payments


def balances(payments: DataFrame) -> DataFrame:
    """Return every payment with the balance of its account after it."""
    row = "account long, payment long, amount long, balance long"
    return payments.groupBy("account").transformWithStateInPandas(Balance(), row, "Append", "none")


def main() -> None:
    """Run until state has moved to the newcomer, at most two minutes."""
    logging.basicConfig(level="INFO", format="%(message)s")
    settings = {"spark.sql.shuffle.partitions": "8"}
    with TemporaryDirectory() as folder, albic.local_cluster(2, settings=settings) as cluster:
        ticks = cluster.spark.readStream.format("rate").option("rowsPerSecond", 100).load()
        row = ("value % 40 account", "value payment", "value % 201 - 100 amount")
        writer = balances(ticks.selectExpr(*row)).writeStream.format("memory").queryName("balances")
        query = writer.option("checkpointLocation", folder).start()
        controller = albic.attach(query, period="3s")  # the one added line
        cluster.add_node()  # plain Spark would never give it any of the state that is there
        for _ in range(24):
            query.awaitTermination(5)
            moves = [m for record in controller.journal.records() for m in record.migrations]
            if "2" in {move.target for move in moves}:  # the third executor
                break
        query.stop()
        cluster.spark.table("balances").where("account = 7").orderBy("payment").show(6)
        print("moved:", ", ".join(f"{m.partition} to {m.target}" for m in moves) or "nothing")


if __name__ == "__main__":
    main()
