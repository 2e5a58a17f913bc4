"""Make the Git repository of the corpus: the same commits, with the same ids, on every machine.

`python examples/make_repo.py FOLDER` writes the repository `gauge-decoder` into a new or empty
folder. Names and dates are fixed, and no configuration of the user or the machine is read.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

STEPS = Path(__file__).parent / "repo"

# One person with two spellings: resolution has to find it by the address.
KATARZYNA = "Katarzyna Nowak", "katarzyna.nowak@example.com"
KASIA = "Kasia Nowak", "katarzyna.nowak@example.com"
MARA = "Mara Lindqvist", "mara@example.org"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its files lie in a folder of STEPS and are laid over the earlier ones."""

    folder: str
    author: tuple[str, str]
    date: str
    message: str


COMMITS = (
    Commit(
        "1-first-decoder",
        KATARZYNA,
        "2026-04-03T20:15:00+02:00",
        "Decode frames of the LY-204\n\nLin Yue has confirmed the layout.",
    ),
    Commit(
        "2-tests",
        MARA,
        "2026-04-06T11:02:00+02:00",
        "Refuse damaged frames\n\nOne in four thousand has a wrong checksum on my desk.",
    ),
    Commit(
        "3-temperature",
        KASIA,
        "2026-05-17T21:40:00+02:00",
        "Frame version 2: air temperature\n\nWithout it the level is 5 cm off on a hot day.",
    ),
    Commit(
        "4-tests-for-version-2",
        MARA,
        "2026-05-20T22:11:00+02:00",
        "Test version 2 and frost\n\nThe temperature byte is signed; mine was not.",
    ),
    Commit(
        "5-battery-and-housing",
        KASIA,
        "2026-09-13T17:25:00+02:00",
        "Months left on the cells, and the third housing\n\nThe spiders have won: a brush it is.",
    ),
    Commit(
        "6-changelog",
        MARA,
        "2026-10-12T20:58:00+02:00",
        "Changelog for 2.1, and a mailmap\n\nKatarzyna signs with two names.",
    ),
)

SETTINGS = ("core.autocrlf=false", "core.fileMode=false", "core.hooksPath=", "gc.auto=0")


def make_repo(target: Path) -> None:
    """Write the repository into `target`, a folder that is new or empty.

    Raises: FileExistsError when the folder has content, FileNotFoundError without git.
    """
    if target.exists() and any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty. Give a new folder.")
    target.mkdir(parents=True, exist_ok=True)
    run_git(target, "init", "--quiet", "--initial-branch=main", "--template=")
    for commit in COMMITS:
        shutil.copytree(STEPS / commit.folder, target, dirs_exist_ok=True)
        run_git(target, "add", "--all", "--force")
        run_git(target, "commit", "--quiet", "--message", commit.message, commit=commit)


def run_git(target: Path, *arguments: str, commit: Commit = COMMITS[0]) -> None:
    """Run git in `target` with an environment of our own: nothing is inherited."""
    git = shutil.which("git")
    if git is None:
        raise FileNotFoundError("git is not installed. Install it, or leave this source out.")
    settings = [part for setting in SETTINGS for part in ("-c", setting)]
    name, address = commit.author
    environment = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address,
        "GIT_AUTHOR_DATE": commit.date,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": address,
        "GIT_COMMITTER_DATE": commit.date,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DEFAULT_HASH": "sha1",
        "LC_ALL": "C",
    }
    subprocess.run([git, *settings, *arguments], cwd=target, env=environment, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_repo.py FOLDER")
    make_repo(Path(sys.argv[1]))
