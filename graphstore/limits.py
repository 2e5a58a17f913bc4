"""Limits: what the value of a setting may be, written beside its type.

Rooms state them in `Annotated`; `api.settings` enforces them, and the JSON Schema and the page of
settings say them. Ranges are `annotated_types.Interval`; here is what that library lacks. pydantic
is asked for its own schema by name, so that a room does not import it.
"""

from dataclasses import dataclass
from typing import Any, Final

SLUG: Final = "[a-z][a-z0-9-]{0,39}"
"""Pattern of the name of a source."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """Text out of a closed table."""

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Say it in the words of pydantic."""
        from pydantic_core import core_schema

        return core_schema.literal_schema(list(self.names))


@dataclass(frozen=True, slots=True)
class Matching:
    """Text that a pattern matches as a whole."""

    pattern: str
    says: str
    """The pattern in words, after "allowed: "."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Say it in the words of pydantic."""
        from pydantic_core import core_schema

        return core_schema.str_schema(pattern=f"^(?:{self.pattern})$")

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Say it in the words of JSON Schema."""
        return {**handler(schema), "$comment": self.says}
