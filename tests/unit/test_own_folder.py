"""The data folder: it is nobody's document, and no second Garage moves into it."""

from pathlib import Path

import pytest

from api import own_folder
from api.cli.app import run
from api.ops.source_drafts import SourceRequest, drafted
from graphstore.errors import InvalidInput
from tests.unit.reading import paths_in, source_at


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder as a service leaves it, with a log."""
    folder = tmp_path / "data"
    (folder / "logs").mkdir(parents=True)
    (folder / own_folder.LOCK).touch()
    (folder / "logs" / "service.log").write_text("a line")
    own_folder.keep_out(folder)
    return folder


@pytest.mark.req("SRC-1")
def test_a_source_around_the_data_folder_passes_over_it(data: Path, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("a note")
    assert paths_in(source_at(tmp_path)) == ["note.md"]


@pytest.mark.req("SRC-1")
@pytest.mark.parametrize("below", ["", "logs"])
def test_the_data_folder_is_no_source(data: Path, below: str) -> None:
    with pytest.raises(InvalidInput, match="where Garage keeps its data"):
        drafted(SourceRequest("own", str(data / below)))


@pytest.mark.req("RUN-4")
@pytest.mark.parametrize(
    ("place", "word"),
    [("data/neo4j", "another Garage"), ("file", "is a file"), ("file/below", "is a file")],
)
def test_a_folder_that_can_hold_no_data_is_refused_by_name_and_left_alone(
    data: Path, tmp_path: Path, place: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    named = {"HOME": str(tmp_path), "GARAGE_DATA": str(tmp_path / place)}
    assert run(["stats"], named) == 2
    told = capsys.readouterr().err
    assert word in told
    assert "GARAGE_DATA" in told
    assert not (data / "neo4j").exists()
    assert run(["doctor"], named) == 1
    assert word in capsys.readouterr().out
