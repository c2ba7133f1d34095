"""The settings of a session that advice is about, noted once when a controller is attached."""

from pyspark.sql.streaming.query import StreamingQuery

from albic.advice.surroundings import CHECKPOINT_SCHEME, NOTED
from albic.spark.bridge import Bridge


def noted_settings(bridge: Bridge, query: StreamingQuery) -> dict[str, str]:
    """Return the settings by name; of the checkpoint no more than the kind of its file system."""
    scheme, _, rest = bridge.checkpoint(query).partition(":")
    return {
        **{name: bridge.setting(name, default) for name, default in NOTED.items()},
        CHECKPOINT_SCHEME: scheme if rest else "file",
    }
