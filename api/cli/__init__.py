"""The command line: a thin client of the service. A face: it holds no rule.

Nothing heavy is imported here, so that help and a search start fast.
"""

import os
import sys

from api.cli.app import run


def main() -> None:
    """Run the command line of this process and end it with the command's status."""
    environment = dict(os.environ)  # noqa: TID251 - handed on as an argument from here
    sys.exit(run(sys.argv[1:], environment))
