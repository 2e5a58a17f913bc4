"""The class path of the server: the locked jars, without the signatures of their makers."""

import zipfile
from pathlib import Path

import pytest

from graphstore.errors import Unavailable
from graphstore.server import unsigned

MANIFEST = b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\nName: A.class\r\nSHA: x\r\n\r\n"
SIGNED = {
    "META-INF/MANIFEST.MF": MANIFEST,
    "META-INF/MAKER.SF": b"Signature-Version: 1.0\r\n\r\n",
    "META-INF/MAKER.RSA": b"\x30\x82",
    "META-INF/services/x.Y": b"x.Z\n",
    "A.class": b"\xca\xfe\xba\xbe" * 9,
}


def jar(folder: Path, name: str, entries: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)
    return folder / name


@pytest.fixture
def fetched(tmp_path: Path) -> list[Path]:
    plain = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\n\n", "B.class": b"b"}
    folder = tmp_path / "jars"
    return [jar(folder, "signed.jar", SIGNED), jar(folder, "plain.jar", plain)]


@pytest.mark.req("RUN-1")
def test_a_signed_jar_loses_its_signature_and_nothing_else(fetched: list[Path]) -> None:
    made = unsigned.make(fetched)
    with zipfile.ZipFile(made / "signed.jar") as archive:
        content = {entry: archive.read(entry) for entry in archive.namelist()}
    assert content == {
        "META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n",
        "META-INF/services/x.Y": SIGNED["META-INF/services/x.Y"],
        "A.class": SIGNED["A.class"],
    }
    assert (made / "plain.jar").samefile(fetched[1])


@pytest.mark.req("RUN-1")
def test_a_class_path_that_lacks_a_jar_is_made_again(fetched: list[Path]) -> None:
    made = unsigned.make(fetched)
    (made / "plain.jar").unlink()
    assert sorted(path.name for path in unsigned.make(fetched).iterdir()) == [
        "plain.jar",
        "signed.jar",
    ]


@pytest.mark.req("RUN-4")
def test_a_jar_that_broke_after_it_was_written_is_named(fetched: list[Path]) -> None:
    made = unsigned.make(fetched)
    assert unsigned.damaged(fetched[0].parent) == ()
    content = (made / "signed.jar").read_bytes()
    (made / "signed.jar").write_bytes(bytes(len(content)))
    assert unsigned.damaged(fetched[0].parent) == ("signed.jar",)


@pytest.mark.req("RUN-4")
def test_a_broken_jar_leaves_no_class_path_and_names_the_next_step(fetched: list[Path]) -> None:
    fetched[0].write_bytes(b"not a jar")
    with pytest.raises(Unavailable, match="could not be made") as caught:
        unsigned.make(fetched)
    assert "garage doctor --fix" in (caught.value.hint or "")
    assert sorted(path.name for path in fetched[0].parent.parent.iterdir()) == ["jars"]
