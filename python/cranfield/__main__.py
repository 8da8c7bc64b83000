"""``python -m cranfield`` is the command ``cranfield``."""

import sys

from cranfield._cli import command

if __name__ == "__main__":
    sys.exit(command())
