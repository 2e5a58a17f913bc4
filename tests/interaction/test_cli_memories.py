"""`garage memory` and `garage store` on a real service, and an assistant beside them over stdio."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interaction.homes import Home, garage_home
from tests.interaction.test_cli_mcp import Assistant


@pytest.fixture(scope="module")
def home(jar_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with garage_home(tmp_path_factory.mktemp("home"), jar_cache) as made:
        yield made


@pytest.fixture(scope="module")
def assistant(home: Home) -> Iterator[Assistant]:
    home.run("stats")  # waits until the graph is there
    made = Assistant(home)
    made.greet()
    yield made
    made.leave()


def call(assistant: Assistant, name: str, **arguments: Any) -> dict[str, Any]:
    result = assistant.ask("tools/call", name=name, arguments=arguments)["result"]
    assert result.get("isError") is not True, result
    return result["structuredContent"]


@pytest.mark.req("MEM-2")
@pytest.mark.req("CLI-1")
def test_from_a_thought_to_an_answer_and_away_again(home: Home) -> None:
    text = "The spare key of the boathouse hangs behind the barometer."
    added = home.run("memory", "add", text, "--tag", "keys", "--importance", "0.75")
    uid = added.stdout.strip()
    assert "Remembered in 'default', revision 1" in added.stderr
    assert "Embedded: " in added.stderr
    again = home.json("memory", "add", text)
    assert (again["created"], again["memory"]["uid"]) == (False, uid)
    hits = home.json("search", "where is the key to the boathouse")["hits"]
    assert hits[0]["memoryId"] == uid
    recalled = home.run("memory", "recall", "where does the boathouse key hang?")
    assert "behind the barometer" in recalled.stdout
    assert uid in recalled.stdout
    shown = home.run("memory", "show", uid)
    assert shown.stdout == f"{text}\n"
    assert "said by: user cli" in shown.stderr
    home.run("memory", "edit", uid, "--text", "The spare key hangs in the shed.", "--clear-tags")
    (row,) = [edge["node"] for edge in home.json("memory", "list")["edges"]]
    assert (row["text"], row["tags"], row["revision"]) == (
        "The spare key hangs in the shed.",
        [],
        2,
    )
    assert "barometer" in home.run("memory", "history", uid).stdout
    assert home.json("memory", "undo", uid, "--revision", "2")["memory"]["tags"] == ["keys"]
    stale = home.json("memory", "edit", uid, "--title", "Key", "--revision", "1", expect=1)
    assert stale["error"]["code"] == "CONFLICT"
    assert (
        "Would forget 1 memory, with 1 chunk"
        in home.run("memory", "forget", uid, "--dry-run").stderr
    )
    assert "barometer" in home.run("memory", "forget", uid, expect=130).stderr  # nobody answers
    assert home.json("memory", "list")["totalCount"] == 1
    home.run("memory", "rm", uid, "--yes")
    assert home.json("memory", "list")["edges"] == []
    assert home.json("memory", "show", uid, expect=3)["error"]["code"] == "NOT_FOUND"


@pytest.mark.req("MEM-2")
def test_stores_of_ones_own_are_written_to_and_the_default_one_stays(home: Home) -> None:
    assert home.json("add-source", "ideas", "memory://", "--kind", "memory")["created"]
    done = home.json("memory", "add", "Build a raft of reeds.", "--source", "ideas")
    assert done["memory"]["source"] == "ideas"
    assert home.json("memory", "list", "--source", "ideas")["totalCount"] == 1
    assert home.json("memory", "add", "x", "--source", "none", expect=3)
    refused = home.json("remove-source", "default", "--yes", expect=5)
    assert refused["error"]["code"] == "REFUSED"
    assert home.json("ingest") == []  # nothing is read into a store
    home.run("remove-source", "ideas", "--yes")
    assert home.json("memory", "list")["totalCount"] == 0


@pytest.mark.req("MFL-1")
@pytest.mark.req("MFL-2")
@pytest.mark.campaign("C14")
def test_memory_files_are_memories_that_only_their_file_changes(
    home: Home, assistant: Assistant, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    (folder / ".cursor" / "rules").mkdir(parents=True)
    (folder / "CLAUDE.md").write_text("# House rules\n\nNever paint the hull green.\n" * 100)
    (folder / ".cursor" / "rules" / "style.mdc").write_text("Use short words.\n")
    (folder / "house.md").write_text("The house has a slate roof.\n")
    (folder / "README.md").write_text("# No memory\n\nA plain file.\n")
    named = ("--kind", "memory", "--tag", "project", "--pattern", "house.md")
    home.run("add-source", "rules", str(folder), *named)
    home.run("ingest", "rules")
    nodes = [edge["node"] for edge in home.json("memory", "list", "--source", "rules")["edges"]]
    assert {Path(each["file"]).name: each["tags"] for each in nodes} == {
        "CLAUDE.md": ["claude", "project"],
        "style.mdc": ["cursor", "project"],
        "house.md": ["project"],
    }
    (claude,) = [each for each in nodes if each["file"].endswith("CLAUDE.md")]
    assert (claude["title"], claude["editable"], claude["truncated"]) == (
        "House rules",
        False,
        True,
    )
    assert home.json("memory", "list", "--source", "rules", "--origin", "file")["totalCount"] == 3
    for command in (("forget", claude["uid"], "--yes"), ("edit", claude["uid"], "--text", "x")):
        error = home.json("memory", *command, expect=5)["error"]
        assert str(folder / "CLAUDE.md") in error["message"]
        assert "garage ingest rules" in error["hint"]
    rows = call(assistant, "rag_list_memories", source="rules")["memories"]
    (row,) = [each for each in rows if each["memory_id"] == claude["uid"]]
    assert (row["truncated"], len(row["text"]), row["editable"]) == (True, 2_000, False)
    assert row["file"] == claude["file"]
    longer = call(assistant, "rag_list_memories", source="rules", tag="claude", max_chars=2_500)
    assert len(longer["memories"][0]["text"]) == 2_500
    asked = {"name": "rag_forget", "arguments": {"memory_id": claude["uid"]}}
    refused = assistant.ask("tools/call", **asked)["result"]
    assert refused["isError"]
    assert claude["file"] in refused["content"][0]["text"]
    home.run("remove-source", "rules", "--yes")


@pytest.mark.req("REC-5")
@pytest.mark.campaign("C16")
def test_a_memory_made_at_one_door_is_seen_changed_and_forgotten_from_the_other(
    home: Home, assistant: Assistant
) -> None:
    done = call(assistant, "rag_remember", text="The dentist is on the ninth of May.")
    uid = done["memory_id"]
    (node,) = [edge["node"] for edge in home.json("memory", "list")["edges"]]
    seen = (node["uid"], node["origin"], node["client"], node["confirmed"])
    assert seen == (uid, "agent", "test-assistant", False)
    assert "unconfirmed" in home.run("memory", "list").stdout
    confirmed = home.json("memory", "confirm", uid)["memory"]
    assert (confirmed["confirmed"], confirmed["trust"]) == (True, "authored")
    call(assistant, "rag_update_memory", memory_id=uid, text="The dentist is on the tenth.")
    changed = home.json("memory", "show", uid)
    assert (changed["text"], changed["confirmed"]) == ("The dentist is on the tenth.", False)
    back = home.json("memory", "undo", uid)["memory"]
    assert back["confirmed"]
    mine = home.json("memory", "add", "The plumber comes on Monday.")["memory"]["uid"]
    assert call(assistant, "rag_forget", memory_id=mine)["deleted"]
    home.run("memory", "forget", uid, "--yes")
    recalled = call(assistant, "rag_recall", query="when is the dentist")
    assert (recalled["memories"], recalled["low_confidence"]) == ([], True)
    verbs = {(each["actor"], each["verb"]) for each in home.json("log")}
    assert {("test-assistant", "remember"), ("test-assistant", "update-memory")} <= verbs
    assert {("cli", "confirm-memory"), ("test-assistant", "forget-memory")} <= verbs


@pytest.mark.req("STO-1")
def test_a_stored_file_is_read_again_byte_for_byte(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "minutes.txt"
    file.write_bytes("\tMinutes\r\n\r\nThe club bought a sail – twice.\n\n".encode())
    stored = home.json("store", str(file), "--title", "Minutes", "--remember")
    assert (stored["created"], stored["document"]["title"]) == (True, "Minutes")
    text = home.json("read", stored["document"]["uid"])["text"]
    assert text.encode() == file.read_bytes()
    with file.open("rb") as pipe:
        piped = subprocess.run(
            home.command("store", "--json"), env=home.environment, stdin=pipe, capture_output=True
        )
    assert b'"created": false' in piped.stdout
    large = tmp_path / "large.txt"
    large.write_text("x" * (256 * 1024 + 1))
    assert home.json("store", str(large), expect=1)["error"]["code"] == "TOO_LARGE"
    home.run("memory", "forget", stored["memory"]["uid"], "--yes")


@pytest.mark.req("REC-3")
def test_core_memory_is_what_an_assistant_reads_first(home: Home, assistant: Assistant) -> None:
    home.run("memory", "core", "edit", "user", "Lives on the river Warnow.")
    assert "Lives on the river Warnow." in home.run("memory", "core", "show").stdout
    blocks = call(assistant, "rag_core_memory")["blocks"]
    (block,) = [each for each in blocks if each["name"] == "user"]
    assert (block["text"], block["actor"]) == ("Lives on the river Warnow.", "cli")
    resource = assistant.ask("resources/read", uri="memory://core")["result"]["contents"][0]
    assert "> Lives on the river Warnow." in resource["text"]
    wrong = home.json("memory", "core", "edit", "pets", "Two cats.", expect=2)
    assert wrong["error"]["code"] == "INVALID_INPUT"
    cleared = home.json("memory", "core", "edit", "user", "--clear")
    assert cleared["bytes"] == 0


@pytest.mark.req("CLI-1")
def test_presets_say_which_folders_of_memory_files_are_there(home: Home) -> None:
    presets = {each["slug"]: each for each in home.json("add-source", "--presets")}
    assert not presets["claude"]["there"]
    folder = home.folder / ".claude"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("Be kind.\n")
    home.run("add-source", "claude", presets["claude"]["root"], "--kind", "memory")
    presets = {each["slug"]: each for each in home.json("add-source", "--presets")}
    assert (presets["claude"]["there"], presets["claude"]["added"]) == (True, True)
    home.run("remove-source", "claude", "--yes")
