"""`python -m explorer`: a command, or the window."""

import sys

from explorer.cli import main

if __name__ == "__main__":
    sys.exit(main())
