"""Referents: whom or what a pronoun means, by rules alone. What is not certain stays as it is.

`I` is the one author, `you` the one addressee. Any other pronoun means the only compatible thing
that the nearest sentence before it names; with two of them it is left alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extraction.facts.grammar import SUBJECTS, group, is_verb, phrase
from extraction.facts.records import About
from extraction.facts.wording import possessive, third_person, worded

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_FIRST: Final = frozenset({"i", "me", "my", "mine"})
_SECOND: Final = frozenset({"you", "your", "yours"})
_FEMALE: Final = frozenset({"she", "her", "hers"})
_MALE: Final = frozenset({"he", "him", "his"})
_THING: Final = frozenset({"it", "its"})
_MANY: Final = frozenset({"they", "them", "their", "theirs"})
OURS: Final = frozenset({"we", "us", "our", "ours"})
_OPEN: Final = OURS | frozenset({*("this", "that", "these", "those", "one", "ones")})
_OWNING: Final = frozenset({"my", "your", "her", "his", "its", "their"})

_TITLES: Final = {
    "mr": "m",
    "mr.": "m",
    "mrs": "f",
    "mrs.": "f",
    "ms": "f",
    "ms.": "f",
    "miss": "f",
}
_FEMALE_ROLES: Final = frozenset(
    {*("mother", "sister", "daughter", "wife", "aunt", "grandmother", "girlfriend", "landlady")}
    | {*("fiancée", "woman", "niece", "midwife", "lady", "girl", "chairwoman", "mum", "mom")}
)
_MALE_ROLES: Final = frozenset(
    {*("father", "brother", "son", "husband", "uncle", "grandfather", "boyfriend", "landlord")}
    | {*("fiancé", "man", "nephew", "boy", "chairman", "dad")}
)
_ROLES: Final = frozenset(
    {*("partner", "friend", "boss", "manager", "colleague", "doctor", "dentist", "mechanic")}
    | {*("teacher", "neighbour", "neighbor", "lawyer", "engineer", "director", "cousin", "child")}
    | {*("chair", "client", "customer", "editor", "author", "plumber", "electrician", "baby")}
)
_PERSONAL: Final = frozenset(
    {*("say", "tell", "write", "think", "decide", "ask", "call", "promise", "want", "like", "love")}
    | {*("recommend", "prefer", "hope", "agree", "believe", "live", "marry", "speak", "work")}
    | {*("test", "drive", "cook", "read", "meet", "visit", "study", "lead", "know", "draw")}
)
_CORE: Final = SUBJECTS | {"dobj", "attr"}
_OPENERS: Final = frozenset({"DET", "PRON", "ADP", "ADV", "SCONJ", "CCONJ"})
_OPENING_WORDS: Final = frozenset(
    {"last", "next", "early", "late", "since", "tomorrow", "yesterday"}
)
"""What has a capital only where a sentence begins."""
_REACH: Final = 3
"""Sentences back in which a person is looked for; a thing only one."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """What a sentence named."""

    name: str
    sentence: int
    label: str
    gender: str
    """`f`, `m`, empty: a person of unknown gender; `-`: no person; `?`: a name of either."""
    is_plural: bool
    is_supposed: bool
    """Named in a condition: `If the heating is repaired …` is not about the heating."""


@dataclass(slots=True)
class Referents:
    """What a passage has named so far. `read` each sentence once, in order."""

    about: About
    names: dict[int, str] = field(default_factory=dict[int, str])
    """What stands for a token of the block that is read now."""
    written: dict[int, str] = field(default_factory=dict[int, str])
    """What stands for `we` where a fact is written out; who the others are is not known."""
    unresolved: set[int] = field(default_factory=set[int])
    """Its pronouns that nobody could resolve."""
    _mentions: list[_Mention] = field(default_factory=list[_Mention])
    _full_names: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _count: int = 0

    def __post_init__(self) -> None:
        for name in (*self.about.authors, *self.about.addressees):
            self._know(name)

    def begin_block(self) -> None:
        """Forget tokens of the block before; what it named is kept."""
        self.names, self.written, self.unresolved = {}, {}, set()

    def read(self, sentence: "Span") -> None:
        """Resolve the pronouns of a sentence and keep what it names."""
        is_speech = False
        first = sentence[0]
        if (first.pos_ in _OPENERS or first.lower_ in _OPENING_WORDS) and first.text[1:].islower():
            self.names[first.i] = first.lower_
        for token in sentence:
            if token.text in {'"', "“", "”", "„", "«", "»"}:
                is_speech = token.text not in {"”", "»"} and not is_speech
            if token.pos_ in {"PRON", "DET"} and _is_pronoun(token):
                self._resolve(token, is_speech=is_speech)
            elif token.pos_ in {"NOUN", "PROPN"} and token.dep_ != "compound":
                self._name(token)
        self._count += 1

    def _name(self, token: "Token") -> None:
        words = phrase(token)
        if token.pos_ == "PROPN":
            if len([w for w in words if w.dep_ != "case"]) == 1:
                self._expand(token)
            elif token.ent_type_ == "PERSON" and all(w.pos_ == "PROPN" for w in words):
                self._know(worded(words, {}))
        if token.ent_type_ in {"DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "QUANTITY"}:
            return
        name = worded(words, self.names)
        self._keep(token, name, _gender(token, words), is_plural=len(group(token)) > 1)

    def _keep(self, token: "Token", name: str, gender: str, *, is_plural: bool) -> None:
        plural = is_plural or token.tag_ in {"NNS", "NNPS"}
        mention = _Mention(name, self._count, token.dep_, gender, plural, _is_supposed(token))
        self._mentions.append(mention)

    def _know(self, name: str) -> None:
        words = name.split()
        if 2 <= len(words) <= 4 and "@" not in name:
            self._full_names.setdefault(words[0], set()).add(name)

    def _expand(self, token: "Token") -> None:
        """Use a full name where only the first name stands and just one person bears it."""
        known = self._full_names.get(token.text, set())
        if len(known) == 1:
            self.names[token.i] = next(iter(known))

    def _resolve(self, token: "Token", *, is_speech: bool) -> None:
        word = token.lower_
        found = None if is_speech else self._meant(token, word)
        if found is None:
            self.unresolved.add(token.i)
            if word in {"we", "us"} and len(self.about.authors) == 1 and not is_speech:
                self.written[token.i] = f"{self.about.authors[0]} and others"
            return
        name, gender = found
        owning = token.tag_ == "PRP$" or (word in _OWNING and token.dep_ == "poss")
        self.names[token.i] = possessive(name) if owning else name
        if word in {"i", "you"} and token.dep_ in SUBJECTS:
            self._agree(token)
        if gender and not owning:
            self._keep(token, name, gender, is_plural=word in _MANY)

    def _agree(self, token: "Token") -> None:
        """Let the verb follow from `I` or `you` to a name: `I prefer`, `Ines prefers`."""
        verb = token.head
        helpers = [t for t in verb.children if t.dep_ in {"aux", "auxpass"}]
        joined = [] if helpers else [t for t in verb.children if t.dep_ == "conj"]
        # The tagger takes a verb after `and` for an infinitive.
        also = {"VBP", "VB"} if verb.tag_ == "VBP" else {"VBP"}
        for word in (verb, *helpers, *joined):
            if word.tag_ == "VBP" or (word in joined and word.tag_ in also):
                self.names[word.i] = third_person(word.lower_)

    def _meant(self, token: "Token", word: str) -> tuple[str, str] | None:
        """Return the name that a pronoun means and its gender; no gender: it names nobody new."""
        if word in _FIRST or word in _SECOND:
            known = self.about.authors if word in _FIRST else self.about.addressees
            return (known[0], "") if len(known) == 1 else None
        if word in _FEMALE | _MALE:
            gender = "f" if word in _FEMALE else "m"
            fit = [m for m in self._near(_REACH) if m.gender in {"", gender, "?"}]
            found = _only(m for m in fit if m.gender != "?" or m.label in SUBJECTS)
            return found if found and found[1] != "?" else None
        if word in _THING and not _is_dummy(token):
            return self._thing(token)
        if word in _MANY:
            return _only(m for m in self._near(1) if m.is_plural and m.label in _CORE)
        return None

    def _thing(self, token: "Token") -> tuple[str, str] | None:
        fit = [
            m
            for m in self._near(1)
            if m.gender in {"-", "?"} and not m.is_plural and not m.is_supposed and m.label in _CORE
        ]
        here = [m for m in fit if m.sentence == self._count]
        if here:
            # `Kestrel might deliver, but nobody confirmed it`: not who acts is confirmed.
            acts = token.dep_ in SUBJECTS or token.dep_ == "poss"
            return _only(m for m in here if acts or m.label != "nsubj")
        subjects = [m for m in fit if m.label in SUBJECTS]
        # What a sentence is about, the next one goes on about; an object needs to be alone.
        if subjects:
            return _only(subjects)
        return _only(fit) if token.dep_ in SUBJECTS else None

    def _near(self, reach: int) -> list[_Mention]:
        return [m for m in self._mentions[-40:] if m.sentence >= self._count - reach]


def _only(mentions: Iterable[_Mention]) -> tuple[str, str] | None:
    """Return the one thing that the nearest sentence with any of these mentions names."""
    found = list(mentions)
    nearest = max((m.sentence for m in found), default=-1)
    names = {m.name: m.gender for m in found if m.sentence == nearest}
    return next(iter(names.items())) if len(names) == 1 else None


def _is_pronoun(token: "Token") -> bool:
    word = token.lower_
    if word in {"this", "that", "these", "those", "one"}:
        # `this gauge` and `that` of a clause name nothing.
        return token.dep_ in _CORE | {"pobj", "dative"} and token.tag_ != "WDT"
    return word in _FIRST | _SECOND | _FEMALE | _MALE | _THING | _MANY | _OPEN


def _gender(token: "Token", words: "list[Token]") -> str:
    """Return `f` or `m`, empty for a person of unknown gender, `-` for what is no person."""
    first = words[0].lower_
    if first in _TITLES:
        return _TITLES[first]
    for role in {token.lemma_.lower(), *(w.lower_ for w in words if w.dep_ != "poss")}:
        if role in _FEMALE_ROLES:
            return "f"
        if role in _MALE_ROLES:
            return "m"
    if token.lemma_ in _ROLES or token.ent_type_ == "PERSON":
        return ""
    is_name = token.pos_ == "PROPN" and token.ent_type_ not in {"GPE", "LOC", "FAC"}
    acts = token.dep_ == "nsubj" and is_verb(token.head) and token.head.lemma_ in _PERSONAL
    if is_name and acts and len(words) <= 2:
        return ""
    return "?" if is_name and token.dep_ in SUBJECTS else "-"


def _is_dummy(token: "Token") -> bool:
    """Say whether `it` names nothing: `it was the first day`, `it is good that`."""
    if token.dep_ not in SUBJECTS or token.head.lemma_ != "be":
        return False
    said = [t for t in token.head.children if t.dep_ in {"attr", "acomp", "ccomp", "xcomp"}]
    return any(t.ent_type_ in {"DATE", "TIME"} or t.dep_ in {"ccomp", "xcomp"} for t in said)


def _is_supposed(token: "Token") -> bool:
    verb = token.head
    return verb.dep_ == "advcl" and any(t.lower_ in {"if", "unless"} for t in verb.children)
