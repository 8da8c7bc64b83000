"""``python -m cranfield`` is the command ``cranfield``."""

import sys

from cranfield.cli import command

if __name__ == "__main__":
    sys.exit(command())
