"""Makes ``python -m albic`` the same as ``albic``."""

import sys

from albic.cli import main

if __name__ == "__main__":
    sys.exit(main())
