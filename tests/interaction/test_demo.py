"""The demo: everything at work, and nothing left running."""

from pathlib import Path

import pytest

from tests.interaction.homes import garage_home


@pytest.mark.req("RUN-1")
def test_the_demo_shows_every_door_and_leaves_nothing_running(
    jar_cache: Path, tmp_path: Path
) -> None:
    with garage_home(tmp_path, jar_cache) as home:
        shown = home.json("demo")
        assert home.processes() == []
        assert [run["source"] for run in shown["runs"]] == ["notes", "code", "mail", "repo"]
        reasons = {each["path"]: each["reason"] for each in shown["notStored"]}
        assert {"empty.md", "scan-damaged.pdf", "gauge-raw.bin"} <= reasons.keys()
        assert all(reasons.values())
        assert all(search["hits"] for search in shown["searches"])
        assert shown["graphql"]["data"]["search"]["hits"]
        assert shown["mcp"]["content"][0]["type"] == "text"
        again = home.run("demo").stdout
        assert "rag_search" in again
        assert home.processes() == []
        assert not home.data.exists()  # your own data folder is not the demo's
