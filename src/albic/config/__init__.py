"""All settings in one place: keyword arguments, environment, a file, defaults; the same names.

::

    chosen = choices({"period": "30s"}, config=None, environment=os.environ)
    chosen["period"].value, chosen["period"].origin
"""

from albic.config.sources import Chosen, choices
from albic.config.table import TABLE, Setting

__all__ = ["TABLE", "Chosen", "Setting", "choices"]
