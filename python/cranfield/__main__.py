"""``python -m cranfield`` is the command ``cranfield``."""

import sys

from cranfield.cli import main

if __name__ == "__main__":
    sys.exit(main())
