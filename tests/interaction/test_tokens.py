"""Tokens: named, hashed, private, and read again when they change."""

import json
import stat
from pathlib import Path

import pytest

from api.serve.tokens import Auth, Tokens
from graphstore.errors import Conflict, InvalidInput, NotFound


def test_a_secret_is_shown_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    secret = Tokens(tmp_path).add("desk", may_write=True)
    file = tmp_path / "tokens.json"
    assert secret not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    client = Auth(Tokens(tmp_path), 1).bearer(f"Bearer {secret}")
    assert client is not None
    assert (client.name, client.kind, client.may_write) == ("desk", "token", True)


def test_a_running_service_sees_tokens_come_and_go(tmp_path: Path) -> None:
    auth, elsewhere = Auth(Tokens(tmp_path), 1), Tokens(tmp_path)
    secret = elsewhere.add("desk", may_write=False)
    assert auth.bearer(f"Bearer {secret}") is not None
    elsewhere.remove("desk")
    assert auth.bearer(f"Bearer {secret}") is None
    assert elsewhere.listed() == ()


@pytest.mark.parametrize("name", ["cli", "Relay", "owner", "", "a b", "a" * 41, "../x", "x\n"])
def test_a_name_that_could_pass_for_another_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        Tokens(tmp_path).add(name, may_write=False)


def test_a_name_is_given_once(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    tokens.add("desk", may_write=False)
    with pytest.raises(Conflict):
        tokens.add("desk", may_write=True)
    with pytest.raises(NotFound):
        tokens.remove("lamp")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"tokens": 4}', '{"tokens": [{}]}'])
def test_a_broken_file_lets_nobody_in_and_is_named(tmp_path: Path, content: str) -> None:
    tokens = Tokens(tmp_path)
    secret = tokens.add("desk", may_write=False)
    (tmp_path / "tokens.json").write_text(content)
    assert Auth(tokens, 1).bearer(f"Bearer {secret}") is None
    with pytest.raises(InvalidInput, match=r"tokens\.json"):
        tokens.listed()


def test_the_file_says_its_version(tmp_path: Path) -> None:
    Tokens(tmp_path).add("desk", may_write=False)
    assert json.loads((tmp_path / "tokens.json").read_text())["version"] == 1
