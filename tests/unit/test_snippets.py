"""Snippets: what is shown of a passage says something that its title does not."""

import pytest

from api.ops.snippets import snippet

FRONT = "---\ntitle: The plan\ntags: [garden]\n---\n\n"


@pytest.mark.req("SEA-1")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{FRONT}# The plan\n\nDig first.", "Dig first."),
        (f"{FRONT}# The plan\n\n## Later #\n\nDig first.\n", "Dig first."),
        ("# Another plan\n\nDig first.", "# Another plan\n\nDig first."),
        ("Dig first.\n\n# The plan\n", "Dig first.\n\n# The plan"),
        ("# The plan", "# The plan"),
        (FRONT, FRONT),
        ("--- no end\nDig.", "--- no end\nDig."),
        ("", ""),
    ],
)
def test_a_snippet_leaves_out_what_title_and_section_say(text: str, shown: str) -> None:
    assert snippet(text, "The plan", "The plan › Later") == shown
