"""Which Java runs the managed server."""

from pathlib import Path

import pytest

from graphstore.errors import InvalidInput
from graphstore.server import java

VECTOR = "jdk.incubator.vector@25"


def fake_java(folder: Path, major: int, *modules: str, code: int = 0) -> Path:
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    lines = "".join(f"echo {module}\n" for module in (f"java.base@{major}.0.2", *modules))
    path.write_text(f'#!/bin/sh\n[ "$1" = --list-modules ] || exit 9\n{lines}exit {code}\n')
    path.chmod(0o755)
    return path


@pytest.mark.req("RUN-2")
@pytest.mark.parametrize(
    ("home", "on_path", "chosen"),
    [
        pytest.param((25, VECTOR), (25, VECTOR), "home", id="JAVA_HOME comes first"),
        pytest.param((17, VECTOR), (21, VECTOR), "path", id="an unsuitable one is passed over"),
        pytest.param((25,), (21, VECTOR), "path", id="the vector module outweighs the order"),
        pytest.param(None, (25, VECTOR), "path", id="PATH without JAVA_HOME"),
        pytest.param((21,), (17,), "home", id="a suitable one without the module will do"),
        pytest.param((24, VECTOR), (26, VECTOR), "packaged", id="else the packaged one"),
        pytest.param(None, None, "packaged", id="no Java on the machine"),
    ],
)
def test_the_first_suitable_java_with_the_vector_module_is_chosen(
    tmp_path: Path,
    home: tuple[int, *tuple[str, ...]] | None,
    on_path: tuple[int, *tuple[str, ...]] | None,
    chosen: str,
) -> None:
    environment = {"PATH": str(tmp_path / "path" / "bin")}
    if home:
        fake_java(tmp_path / "home", *home)
        environment["JAVA_HOME"] = str(tmp_path / "home")
    if on_path:
        fake_java(tmp_path / "path", *on_path)
    found = java.choose(None, environment)
    assert found.major in java.SUITABLE
    here = found.path.relative_to(tmp_path).parts[0] if found.path.is_relative_to(tmp_path) else ""
    assert here == ("" if chosen == "packaged" else chosen)


@pytest.mark.req("RUN-2")
def test_the_configured_java_is_taken_before_a_better_one(tmp_path: Path) -> None:
    configured = fake_java(tmp_path / "mine", 21)
    fake_java(tmp_path / "home", 25, VECTOR)
    found = java.choose(str(configured), {"JAVA_HOME": str(tmp_path / "home")})
    assert found == java.Java(configured, 21, has_vector_module=False)


@pytest.mark.req("RUN-2")
@pytest.mark.parametrize(("major", "code"), [(17, 0), (25, 1)])
def test_an_unsuitable_configured_java_is_an_error_that_names_it(
    tmp_path: Path, major: int, code: int
) -> None:
    configured = fake_java(tmp_path, major, VECTOR, code=code)
    with pytest.raises(InvalidInput, match=r"21 or 25") as caught:
        java.choose(str(configured), {})
    assert str(configured) in caught.value.message


@pytest.mark.req("RUN-2")
def test_a_configured_java_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="absent"):
        java.choose(str(tmp_path / "absent"), {})


@pytest.mark.req("RUN-2")
@pytest.mark.parametrize(
    ("release", "found"),
    [
        ('JAVA_VERSION="25.0.2"\nMODULES="java.base jdk.incubator.vector"\n', (25, True)),
        ('JAVA_VERSION="21.0.9"\nMODULES="java.base java.sql"\n', (21, False)),
        ('JAVA_VERSION="25.0.2"\n', (25, False)),
        ('JAVA_VERSION="17.0.1"\nMODULES="java.base jdk.incubator.vector"\n', (25, False)),
    ],
    ids=["says all", "without the module", "says too little", "says another version"],
)
def test_what_a_java_says_of_itself_in_a_file_is_believed_when_it_fits(
    release: str, found: tuple[int, bool], tmp_path: Path
) -> None:
    path = fake_java(tmp_path / "mine", 25)
    (tmp_path / "mine" / "release").write_text(release)
    assert java.inspect(path, {}) == java.Java(path, *found)


@pytest.mark.req("PRV-3")
def test_a_jvm_gets_neither_secrets_nor_options_from_our_environment() -> None:
    given = {"PATH": "/bin", "NEO4J_PASSWORD": "x", "JAVA_TOOL_OPTIONS": "-Xmx1m", "API_KEY": "x"}
    assert java.kept(given) == {"PATH": "/bin"}
