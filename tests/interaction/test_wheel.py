"""The wheel is whole: installed in an environment of its own, it loads every query and answers."""

import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from graphstore.session import Graph
from graphstore.settings import Connection
from tests.graph.conftest import empty

REPOSITORY = Path(__file__).parent.parent.parent
LOAD_ALL = """
from graphstore import queries, schema
import graphstore, api
fill = {"index": "ft_chunk", "label": "Chunk", "property": "vec_bge", "type": "AUTHORED_BY"}
names = [p.relative_to(queries.ROOT / "queries").with_suffix("").as_posix()
         for p in sorted((queries.ROOT / "queries").rglob("*.cypher"))]
for name in names:
    assert queries.get(name, **fill).strip()
for step in schema.migrations():
    assert queries.statements(step.name)
print(len(names), graphstore.__file__)
"""


LOAD_PAGES = """
from api.serve.assets import OWN, own
from api.serve.pages import rendering
pages = rendering._environment()
for name in pages.list_templates():
    pages.get_template(name)
assert all(own(name) for name in OWN)
print(len(pages.list_templates()), len(OWN), rendering.__file__)
"""


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=dict(environment), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; its dependencies are those of this one, nothing else is."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    name = run([sys.executable, "-c", build, str(folder)], REPOSITORY, os.environ).split()[-1]
    home = folder / "env"
    venv.EnvBuilder(with_pip=True, symlinks=True).create(home)
    (site,) = (home / "lib").glob("python*/site-packages")
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    run([*pip, str(folder / name)], folder, os.environ)
    dependencies = next(path for path in sys.path if path.endswith("site-packages"))
    # A path file adds the folder, not its own path files: this checkout stays out.
    (site / "dependencies.pth").write_text(dependencies + "\n", encoding="utf-8")
    return home


@pytest.fixture
def elsewhere(
    installed: Path, neo4j_server: Connection, jar_cache: Path, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """The environment of a user with a Neo4j of their own, whose graph is empty."""
    with Graph(neo4j_server) as graph:
        empty(graph)
    environment = {
        "PATH": f"{installed / 'bin'}{os.pathsep}{os.defpath}",
        "HOME": str(tmp_path),
        "GARAGE_DATA": str(tmp_path / "data"),
        "GARAGE_CACHE": str(jar_cache),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
    }
    yield environment
    run([str(installed / "bin" / "garage"), "stop"], tmp_path, environment)


@pytest.mark.req("RUN-1")
def test_the_wheel_loads_every_query(installed: Path, tmp_path: Path) -> None:
    said = run([str(installed / "bin" / "python"), "-c", LOAD_ALL], tmp_path, {}).split()
    files = list((REPOSITORY / "cypher" / "queries").rglob("*.cypher"))
    assert int(said[0]) == len(files)
    assert Path(said[1]).is_relative_to(installed)


@pytest.mark.req("WEB-1", part=True)
def test_the_wheel_loads_every_template_and_file_of_the_pages(
    installed: Path, tmp_path: Path
) -> None:
    said = run([str(installed / "bin" / "python"), "-c", LOAD_PAGES], tmp_path, {}).split()
    serve = REPOSITORY / "api" / "serve"
    assert int(said[0]) == len(list((serve / "templates").iterdir()))
    assert int(said[1]) == len(list((serve / "static").iterdir()))
    assert Path(said[2]).is_relative_to(installed)


@pytest.mark.req("RUN-2")
def test_the_installed_command_answers_a_search_on_a_server_of_ones_own_beside_decoys(
    installed: Path, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    for decoy in ("api", "graphstore", "extraction"):
        (tmp_path / decoy).mkdir()
        (tmp_path / decoy / "__init__.py").write_text("raise SystemExit('a decoy')\n")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "boiler.md").write_text("# Boiler\n\nThe boiler in the cellar was replaced in May.\n")
    garage = str(installed / "bin" / "garage")
    run([garage, "add-source", "notes", str(notes)], tmp_path, elsewhere)
    run([garage, "ingest", "notes"], tmp_path, elsewhere)
    assert "boiler.md" in run(
        [garage, "search", "when was the boiler replaced"], tmp_path, elsewhere
    )
