"""The command line: a thin client of the service. A face: it holds no rule.

Nothing heavy is imported here, so that help and a search start fast.
"""

import os
import sys

_INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended, as a shell has it."""


def main() -> None:
    """Run the command line of this process and end it with the command's status."""
    environment = dict(os.environ)  # noqa: TID251 - handed on as an argument from here
    try:
        # Imported here: a Ctrl-C that comes meanwhile ends the command without a word, too.
        from api.cli.app import run

        code = run(sys.argv[1:], environment)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    sys.exit(code)
