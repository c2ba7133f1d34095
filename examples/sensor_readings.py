"""Raise alarms over sensor readings: three operators of one key, which run as one.

Run it with ``.venv/bin/python examples/sensor_readings.py``; it takes half a minute.
"""

import logging
from tempfile import TemporaryDirectory

import albic
from albic.streams import Network, Operator, Sink, Source


def keep(state, rows):
    """Put each reading beside the mean of its device so far."""
    new = rows.frame()
    seen = new.groupby("device")["celsius"].agg(["sum", "size"])
    state["devices"] = seen = seen.add(state.get("devices", seen[:0]), fill_value=0)
    return new.assign(mean=new["device"].map(seen["sum"] / seen["size"]))


def those(condition: str):
    """Let some rows through."""
    return lambda _, rows: rows.frame().query(condition)


def sensors(readings, sink) -> Network:
    """Return the three operators; rows keep their device, so all three share a task."""
    each = {"key": "device", "key_groups": 8, "keeps_key": True}
    row, beside = "device string, celsius double", "device string, celsius double, mean double"
    operators = (
        Operator("clean", "readings", schema=row, process=those("celsius < 150"), **each),
        Operator("keep", "clean", schema=beside, process=keep, split="devices", **each),
        Operator("alarm", "keep", schema=beside, process=those("celsius > mean + 40"), **each),
    )
    return Network("sensors", [Source("readings", readings)], operators, [Sink("alarm", sink)])


def main() -> None:
    """Run until state has moved to the newcomer, at most two minutes."""
    logging.basicConfig(level="INFO", format="%(message)s")
    with TemporaryDirectory() as folder, albic.local_cluster(2) as cluster:
        ticks = cluster.spark.readStream.format("rate").option("rowsPerSecond", 200).load()
        heat = "if(value % 50 = 0, 999D, if(value % 83 = 0, 90D, 20D)) AS celsius"
        readings, alarms = ticks.selectExpr("concat('d', value % 40) AS device", heat), []
        running = sensors(readings, lambda frame, _: alarms.extend(frame.collect())).start(folder)
        controller = albic.attach(running, period="3s")  # the one added line
        cluster.add_node()  # plain Spark would never give it any of the state that is there
        for _ in range(24):
            running.query.awaitTermination(5)
            moves = [m for record in controller.journal.records() for m in record.migrations]
            if "2" in {move.target for move in moves}:  # the third executor
                break
        running.stop()
        cluster.spark.createDataFrame(alarms[:6]).show()
        print("moved:", ", ".join(f"{m.partition} to {m.target}" for m in moves) or "nothing")


if __name__ == "__main__":
    main()
