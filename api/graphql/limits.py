"""Limits: what one request may cost. Pure, and linear in the size of the document.

A document is looked at once, each fragment once, however often it is spread: the usual limiters
follow every spread, so that some twenty fragments that spread each other twice cost them minutes.
What is refused names its limit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
)

MAX_CHARACTERS: Final = 50_000
"""Of a document; long values belong into variables."""
MAX_DIGITS: Final = 1_000
"""In a row; Python reads no number of more than 4,300."""
MAX_TOKENS: Final = 2_000
MAX_DEPTH: Final = 8
"""Fields with fields of their own below each other; introspection has a limit of its own."""
MAX_NESTING: Final = 40
"""Braces within each other, of whatever kind."""
MAX_ALIASES: Final = 30
MAX_SELECTIONS: Final = 100
"""In one place, fragments spread out: comparing them costs the square of their number."""
MAX_COST: Final = 50_000
"""Fields of the answer, as the arguments promise them."""

_DIGITS: Final = re.compile(r"\d{100,}", re.ASCII)
UNSTATED: Final = 20
"""Members of a list whose number no argument tells."""
SIZES: Final = ("first", "limit")
_MOST_MEMBERS: Final = 1_000
"""An argument that asks for more is refused by its operation."""
_SAID: Final[Mapping[str, str]] = {
    "characters": "characters of a document",
    "digits": "digits in a row",
    "depth": "levels of depth",
    "nesting": "braces nested within each other",
    "aliases": "aliases",
    "selections": "fields selected in one place",
    "cost": "fields in the answer (cost)",
}
_MOST: Final[Mapping[str, int]] = {
    "characters": MAX_CHARACTERS,
    "digits": MAX_DIGITS,
    "depth": MAX_DEPTH,
    "nesting": MAX_NESTING,
    "aliases": MAX_ALIASES,
    "selections": MAX_SELECTIONS,
    "cost": MAX_COST,
}

Sizes = Mapping[str, int]
"""How many members a root field returns when no argument says so."""


@dataclass(frozen=True, slots=True)
class _Weight:
    """What a piece of a document comes to, its fragments spread out."""

    depth: int = 0
    nesting: int = 0
    aliases: int = 0
    here: int = 0
    """Fields selected at this very place."""
    fields: int = 0
    """Fields here and below."""

    def __add__(self, other: "_Weight") -> "_Weight":
        return _Weight(
            max(self.depth, other.depth),
            max(self.nesting, other.nesting),
            self.aliases + other.aliases,
            self.here + other.here,
            self.fields + other.fields,
        )


def check_text(text: str) -> None:
    """Do nothing for a document that is short enough to be parsed.

    Raises:
        GraphQLError: it is not; the message names the limit.
    """
    _check("characters", len(text))
    _check("digits", max(map(len, _DIGITS.findall(text)), default=0))


def check(document: DocumentNode, variables: Mapping[str, Any], sizes: Sizes) -> None:
    """Do nothing for a document within every limit.

    Raises:
        GraphQLError: it is not; the message names the limit.
    """
    weighing = _Weighing(
        {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    )
    operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
    # Fragments that nothing spreads are validated too.
    for fragment in weighing.fragments:
        weighing.spread(fragment)
    whole = sum((weighing.of(each.selection_set) for each in operations), _Weight())
    _check("depth", whole.depth)
    _check("aliases", whole.aliases)
    _check("cost", sum(_cost(weighing, each, variables, sizes) for each in operations))


def too_deep() -> GraphQLError:
    """Return what is said of a document that is nested too deeply even to be parsed."""
    return _refusal("depth", "far more")


@dataclass(slots=True)
class _Weighing:
    """Weighs the selections of one document, each fragment once."""

    fragments: Mapping[str, FragmentDefinitionNode]
    _known: dict[str, _Weight] = field(default_factory=dict[str, _Weight])

    def of(self, selections: SelectionSetNode | None) -> _Weight:
        if selections is None:
            return _Weight()
        weight = sum((self._one(each) for each in selections.selections), _Weight())
        _check("selections", weight.here)
        _check("nesting", weight.nesting)
        return weight

    def spread(self, name: str) -> _Weight:
        if name not in self._known:
            # A cycle weighs nothing here: validation refuses it by name.
            self._known[name] = _Weight()
            fragment = self.fragments.get(name)
            self._known[name] = self.of(fragment.selection_set if fragment else None)
        return self._known[name]

    def below(self, selected: FieldNode) -> _Weight:
        """Return what a field's own selections come to."""
        return self.of(selected.selection_set)

    def _one(self, selection: Any) -> _Weight:
        if isinstance(selection, FragmentSpreadNode):
            return self.spread(selection.name.value)
        if isinstance(selection, InlineFragmentNode):
            inner = self.of(selection.selection_set)
            return _Weight(inner.depth, inner.nesting + 1, inner.aliases, inner.here, inner.fields)
        if not isinstance(selection, FieldNode):
            return _Weight()
        inner = self.below(selection)
        is_introspection = selection.name.value.startswith("__")
        levels = inner.depth + 1 if selection.selection_set and not is_introspection else 0
        aliases = inner.aliases + (selection.alias is not None)
        return _Weight(levels, inner.nesting + 1, aliases, 1, inner.fields + 1)


def _cost(
    weighing: _Weighing,
    operation: OperationDefinitionNode,
    variables: Mapping[str, Any],
    sizes: Sizes,
) -> int:
    """Return how many fields an answer may have: those below a root field, for each member."""
    given = {
        each.variable.name.value: _number(each.default_value, {}, UNSTATED)
        for each in operation.variable_definitions or ()
    } | dict(variables)
    return sum(
        (1 + weighing.below(root).fields) * _members(root, given, sizes)
        for root in _roots(weighing, operation.selection_set.selections, set())
        if not root.name.value.startswith("__")
    )


def _roots(weighing: _Weighing, selections: Sequence[Any], seen: set[str]) -> Iterator[FieldNode]:
    """Yield the root fields of an operation, those of a fragment once, as they are executed."""
    for selection in selections:
        if isinstance(selection, FieldNode):
            yield selection
        elif isinstance(selection, InlineFragmentNode):
            yield from _roots(weighing, selection.selection_set.selections, seen)
        elif selection.name.value not in seen:
            seen.add(selection.name.value)
            fragment = weighing.fragments.get(selection.name.value)
            if fragment is not None:
                yield from _roots(weighing, fragment.selection_set.selections, seen)


def _members(root: FieldNode, given: Mapping[str, Any], sizes: Sizes) -> int:
    default = sizes.get(root.name.value, 1)
    for argument in root.arguments or ():
        if argument.name.value in SIZES:
            return min(_MOST_MEMBERS, max(1, _number(argument.value, given, default)))
    return default


def _number(value: ValueNode | None, given: Mapping[str, Any], default: int) -> int:
    if isinstance(value, IntValueNode):
        # So long a number is none of ours, and Python refuses to read one of 5,000 digits.
        return int(value.value) if len(value.value) < 10 else _MOST_MEMBERS
    if isinstance(value, VariableNode):
        found = given.get(value.name.value)
        return found if isinstance(found, int) else default
    return default


def _check(name: str, found: int) -> None:
    if found > _MOST[name]:
        raise _refusal(name, f"{found:,}")


def _refusal(name: str, found: str) -> GraphQLError:
    return GraphQLError(
        f"The request has {found} {_SAID[name]}; at most {_MOST[name]:,}.",
        extensions={"code": "TOO_LARGE", "limit": name, "hint": "Ask for less at a time."},
    )
