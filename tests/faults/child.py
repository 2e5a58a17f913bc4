"""The client that is killed: `python -m tests.faults.child`, orders and answers as lines of JSON.

It imports everything once, then forks a client for each order, so that a round costs a fork and
not a start of Python. Light to import: the parsing processes of its clients import it again.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    from tests.faults import client  # everything heavy, before the first fork

    for line in sys.stdin:
        order = json.loads(line)
        answer = Path(order["answer"])
        answer.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            _be_the_client(client.obey, order, answer)
        _, status = os.waitpid(pid, 0)
        told: dict[str, Any] = json.loads(answer.read_text()) if answer.exists() else {}
        print(
            json.dumps({"pid": pid, "code": os.waitstatus_to_exitcode(status), **told}), flush=True
        )


def _be_the_client(obey: Any, order: dict[str, Any], answer: Path) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    try:
        answer.write_text(json.dumps(obey(order)))
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
