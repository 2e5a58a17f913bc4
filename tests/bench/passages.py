"""Public question sets as folders of passages, and the arithmetic of recall."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent.parent.parent / "shared" / "data"
SETS = ("musique_train_hipporag", "hotpotqa_train_hipporag", "2wiki_migres200")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the passages that answer it, by file name."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Passages by file name, and questions over them."""

    name: str
    passages: Mapping[str, str]
    questions: tuple[Question, ...]


def load(name: str) -> QuestionSet:
    """Read a set. A passage is its title, a line break, and its text."""
    corpus: Any = json.loads((DATA / name / "corpus.json").read_text(encoding="utf-8"))
    questions: Any = json.loads((DATA / name / "questions.json").read_text(encoding="utf-8"))
    texts = _texts(corpus)
    names = {text: f"{number:05}.txt" for number, text in enumerate(texts)}
    return QuestionSet(
        name,
        {names[text]: text for text in texts},
        tuple(
            Question(q["question"], frozenset(names[t] for t in _gold(q, texts))) for q in questions
        ),
    )


def write(passages: Mapping[str, str], root: Path) -> None:
    """Write passages as files."""
    root.mkdir(parents=True, exist_ok=True)
    for name, text in passages.items():
        (root / name).write_text(text, encoding="utf-8")


def recall(found: Sequence[Sequence[str]], questions: Sequence[Question], k: int) -> float:
    """Return the mean share of gold passages among the first `k`, in percent."""
    shares = [
        len(question.gold & set(names[:k])) / len(question.gold)
        for names, question in zip(found, questions, strict=True)
    ]
    return 100 * sum(shares) / len(shares)


def _texts(corpus: Any) -> list[str]:
    if isinstance(corpus, dict):
        pairs = [(title, "".join(lines)) for title, lines in corpus.items()]
    else:
        pairs = [(each["title"], each["text"]) for each in corpus]
    return list(dict.fromkeys(f"{title}\n{text}" for title, text in pairs))


def _gold(question: Any, texts: list[str]) -> list[str]:
    if "gold_idx" in question:
        return [texts[index] for index in question["gold_idx"]]
    if "paragraphs" in question:
        return [
            f"{each['title']}\n{each['paragraph_text']}"
            for each in question["paragraphs"]
            if each["is_supporting"]
        ]
    titles = {title for title, _ in question["supporting_facts"]}
    by_title = {text.split("\n", 1)[0]: text for text in texts}
    return [by_title[title] for title in sorted(titles)]
