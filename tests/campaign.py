"""The manifest: every promise, and how it stands.

`REQUIREMENTS` are the ids of the requirements, `CAMPAIGN` the rows of the reliability campaign. A
promise is DONE, PART (what is kept, and what is still open) or OPEN (with the reason).
`tests/unit/test_manifest.py` fails when one that is done or partly done has no test, when a test
names an unknown one, and when an open one has a test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Promise:
    """How a promise stands."""

    state: Literal["done", "part", "open"]
    reason: str = ""
    """What is missing, or which work brings it."""


DONE: Final = Promise("done")


def part(missing: str) -> Promise:
    return Promise("part", missing)


def opened(work: str) -> Promise:
    return Promise("open", work)


_HARDENING = opened("hardening: doctor, faults, speed, the other formats")
_KNOWLEDGE = opened("the queue and the knowledge")
_GRAPH = opened("PageRank, communities, evaluation")
_MODELS = opened("providers and dreaming")
_CARE = opened("backup, lint, pages")

REQUIREMENTS: Final[Mapping[str, Promise]] = {
    "RUN-1": DONE,
    "RUN-2": part("a run of the image under an engine, and against a cluster or Aura"),
    "RUN-3": part("migration from an older version, once there is one"),
    "RUN-4": DONE,
    "RUN-5": DONE,
    "RUN-6": _CARE,
    "RUN-7": DONE,
    "RUN-8": _CARE,
    "SRC-1": part("sqlite and feed sources"),
    "SRC-2": part("XLS, DOC and PPT of old, scans, archives, contacts and calendars"),
    "SRC-3": DONE,
    "SRC-4": part("withdrawal with its undo"),
    "SRC-5": DONE,
    "SRC-6": DONE,
    "SRC-7": DONE,
    "SRC-8": DONE,
    "EMB-1": part("facts, summaries and entities, once they exist"),
    "EMB-2": DONE,
    "EMB-3": DONE,
    "EMB-4": DONE,
    "PRV-1": _MODELS,
    "PRV-2": part("remote providers; the guard that they pass is there"),
    "PRV-3": DONE,
    "PRV-4": _MODELS,
    "SEA-1": part("lanes for facts, summaries and entities"),
    "SEA-2": part("category, tag, as_of and known_at"),
    "SEA-3": part("hits of kind fact and summary"),
    "SEA-4": _GRAPH,
    "SEA-5": _MODELS,
    "SEA-6": _GRAPH,
    "SEA-7": part("contexts that a model writes"),
    "SEA-8": DONE,
    "SEA-9": part("what drives QUE-4"),
    "ASK-1": _MODELS,
    "ASK-2": _MODELS,
    "MEM-1": DONE,
    "MEM-2": DONE,
    "MEM-3": DONE,
    "MEM-4": DONE,
    "MEM-5": DONE,
    "MEM-6": DONE,
    "MEM-7": part("facts and triples, once they exist"),
    "MEM-8": DONE,
    "MEM-9": DONE,
    "MEM-10": part("facts and triples as evidence, once they exist"),
    "MFL-1": DONE,
    "MFL-2": DONE,
    "STO-1": part("what distils, and a worker for the queue"),
    "REC-1": part("recall of facts, once they exist"),
    "REC-2": part("the curve of facts, restored by a hit on their document"),
    "REC-3": DONE,
    "REC-4": DONE,
    "REC-5": DONE,
    "FCT-1": part("those that a model reads, embedded and searched"),
    "FCT-2": part("the profiles of categories"),
    "FCT-3": _KNOWLEDGE,
    "FCT-4": _KNOWLEDGE,
    "TRE-1": _KNOWLEDGE,
    "TRE-2": _MODELS,
    "TRI-1": _KNOWLEDGE,
    "TRI-2": part("triples in the graph; what a text says of their time is read"),
    **{f"TRI-{number}": _KNOWLEDGE for number in range(3, 10)},
    "COM-1": _GRAPH,
    "COM-2": _MODELS,
    "COM-3": _GRAPH,
    "COM-4": _GRAPH,
    "CAT-1": _KNOWLEDGE,
    "CAT-2": _KNOWLEDGE,
    "CAT-3": _KNOWLEDGE,
    "QUE-1": DONE,
    "QUE-2": part("corpus-wide passes, once there are some"),
    "QUE-3": DONE,
    "QUE-4": _MODELS,
    **{f"DRM-{number}": _MODELS for number in range(1, 5)},
    "THO-1": _MODELS,
    "WDR-1": _KNOWLEDGE,
    "LNT-1": _CARE,
    "LOG-1": part("dismissals and retractions that bind later passes"),
    "WIK-1": _CARE,
    "EVL-1": _GRAPH,
    "GQL-1": part("the fields of what is not there yet"),
    "MCP-1": part("the tools of what is not there yet"),
    "MCP-2": part("rag_assert, once there are triples"),
    "MCP-3": DONE,
    "CLI-1": part("the commands of what is not there yet, completion"),
    "WEB-1": part("what is related, the graph picture, the dream journal"),
    "NBK-1": _CARE,
}

_WITH_REST = opened("hardening, or the work that brings what it attacks")
_REST_OF_IT = part("the rest of the row: hardening")

CAMPAIGN: Final[Mapping[str, Promise]] = {
    **{f"C{number:02}": _WITH_REST for number in range(1, 80)},
    "C01": DONE,
    "C02": DONE,
    "C03": DONE,
    "C04": part("device files and 4 KiB paths in the f ring"),
    "C05": part("feeds, once there are sources of them"),
    "C06": DONE,
    "C07": part("the same against a full parser pool, in the f ring"),
    "C08": part("hidden characters flagged"),
    "C09": part("each pattern alone, by its time"),
    "C10": part("the flag for keys within other texts, and doctor's list; key files are skipped"),
    "C12": DONE,
    "C13": DONE,
    "C14": DONE,
    "C15": DONE,
    "C16": DONE,
    "C17": DONE,
    "C18": DONE,
    "C19": part("facts, triples and insights, once they exist"),
    "C20": DONE,
    "C21": DONE,
    "C22": DONE,
    "C23": DONE,
    "C24": DONE,
    "C25": DONE,
    "C27": DONE,
    "C28": DONE,
    "C29": DONE,
    "C30": DONE,
    "C31": DONE,
    "C32": DONE,
    "C33": DONE,
    "C34": DONE,
    "C35": DONE,
    "C36": DONE,
    "C37": part("a server that was locked by others"),
    "C39": DONE,
    "C40": DONE,
    "C41": DONE,
    "C42": DONE,
    "C43": DONE,
    "C44": part("a plan for a new index"),
    "C48": _REST_OF_IT,
    "C50": part("redirects and proxies in egress logs, names that lead off this machine"),
    "C51": DONE,
    "C53": part("two whole services, not two graphs of one process"),
    "C54": DONE,
    "C55": DONE,
    "C56": part("a store removed meanwhile; what facts and triples a job would write"),
    "C58": part("each pass, migration, rebuild, forget and class change, once they exist"),
    "C59": part("20 rounds, and `database check` after them"),
    "C60": DONE,
    "C61": DONE,
    "C62": part("a full disk of logs and temporary files apart from the data folder's"),
    "C64": part("daylight saving, facts with their validity, once they exist"),
    "C65": part("10^6 jobs and a year of the query log, measured; 20,000 are"),
    "C66": DONE,
    "C72": part("the dump, once there is one"),
    "C73": DONE,
}
