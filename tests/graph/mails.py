"""Messages for tests, as a mail program stores them."""

from pathlib import Path

MESSAGE = """From: {sender}
To: Bo Example <bo@example.org>
Subject: {subject}
Date: Mon, {day} Jun 2026 10:00:00 +0000
Message-ID: <{id}@example.org>
{headers}Content-Type: text/plain; charset=utf-8

{text}
"""

WITH_FILE = """From: Ada Example <ada@example.org>
To: Bo Example <bo@example.org>
Subject: The plan
Date: Mon, 01 Jun 2026 10:00:00 +0000
Message-ID: <{id}@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="part"

--part
Content-Type: text/plain; charset=utf-8

The plan for the river is attached.
--part
Content-Type: text/markdown; charset=utf-8
Content-Disposition: attachment; filename="{name}"

# Plan

{text}
--part--
"""


def maildir(root: Path) -> Path:
    for shelf in ("cur", "new", "tmp"):
        (root / shelf).mkdir(parents=True, exist_ok=True)
    return root


def message(
    root: Path,
    name: str,
    *,
    answers: str = "",
    references: tuple[str, ...] = (),
    text: str = "About the gauges at the river.",
    sender: str = "Ada Example <ada@example.org>",
    day: int = 1,
    message_id: str = "",
) -> Path:
    """Write a message; `answers` and `references` are names of others."""
    headers = f"In-Reply-To: <{answers}@example.org>\n" if answers else ""
    if references:
        headers += f"References: {' '.join(f'<{each}@example.org>' for each in references)}\n"
    file = root / "cur" / f"{name}:2,S"
    file.write_text(
        MESSAGE.format(
            sender=sender,
            subject=f"Message {name}",
            day=f"{day:02}",
            id=message_id or name,
            headers=headers,
            text=text,
        )
    )
    return file


def with_file(root: Path, name: str, *, file: str = "plan.md", text: str = "Dig it.") -> Path:
    path = root / "cur" / f"{name}:2,S"
    path.write_text(WITH_FILE.format(id=name, name=file, text=text))
    return path
