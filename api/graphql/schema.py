"""Schema: the parts together, with limits on what one request may cost.

No part of the schema nests lists, so the work of a request is the number of its fields times
`first`: aliases and depth bound it. What fails without being meant to is shown by its request id.
"""

import logging
import traceback
from typing import Any, Final

import strawberry
from graphql import GraphQLError, lexicographic_sort_schema, print_schema
from strawberry.extensions import (
    MaskErrors,
    MaxAliasesLimiter,
    MaxTokensLimiter,
    ParserCache,
    QueryDepthLimiter,
    ValidationCache,
)
from strawberry.types import ExecutionContext

from api.graphql import problems
from api.graphql.context import Context
from api.graphql.mutations import Mutation
from api.graphql.queries import Query
from api.graphql.subscriptions import Subscription
from graphstore.errors import GarageError

MAX_DEPTH: Final = 8
MAX_ALIASES: Final = 30
MAX_TOKENS: Final = 2_000
_CACHED: Final = 128

_log = logging.getLogger(__name__)


def _is_unexpected(error: GraphQLError) -> bool:
    """Say whether an error is neither the request's own fault nor one of ours."""
    original = error.original_error
    return original is not None and not isinstance(original, GarageError | GraphQLError)


class _Masked(MaskErrors):
    """Shows our own errors with code and hint, and of others only the request's id."""

    def _process_errors(self, errors: list[GraphQLError]) -> list[GraphQLError]:
        return [self._shown(error) for error in errors]

    def _shown(self, error: GraphQLError) -> GraphQLError:
        if isinstance(error.original_error, GarageError):
            ours = error.original_error
            extensions = {"code": ours.code, "hint": ours.hint}
            return GraphQLError(ours.message, error.nodes, path=error.path, extensions=extensions)
        if not _is_unexpected(error):
            return error
        unique = _request_id(self.execution_context)
        return GraphQLError(
            f"Something failed inside Garage. Its log names request {unique}.",
            error.nodes,
            path=error.path,
            extensions={"code": "INTERNAL", "requestId": unique},
        )


class _Schema(strawberry.Schema):
    """A schema whose log holds no text of a request."""

    def printed(self) -> str:
        """Return the schema as SDL, sorted."""
        # Not `sort_schema=True`: it breaks enums and unions.
        return print_schema(lexicographic_sort_schema(self._schema)) + "\n"

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log what nobody meant: where it happened and its kind, never its text."""
        for error in filter(_is_unexpected, errors):
            original = error.original_error
            where = traceback.extract_tb(original.__traceback__ if original else None)
            _log.error(
                "request %s failed at %s: %s in %s",
                _request_id(execution_context),
                ".".join(map(str, error.path or ())),
                type(original).__name__,
                " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(where[-8:])),
            )


def _request_id(execution_context: ExecutionContext | None) -> str:
    context: Any = execution_context.context if execution_context else None
    return context.request_id if isinstance(context, Context) else "unknown"


schema: Final = _Schema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    exception_handlers=problems.handlers(),
    extensions=[
        lambda: QueryDepthLimiter(max_depth=MAX_DEPTH),
        lambda: MaxAliasesLimiter(max_alias_count=MAX_ALIASES),
        lambda: MaxTokensLimiter(max_token_count=MAX_TOKENS),
        lambda: ParserCache(maxsize=_CACHED),
        lambda: ValidationCache(maxsize=_CACHED),
        _Masked,
    ],
)


def printed() -> str:
    """Return the schema as SDL, in an order that does not depend on the code's."""
    return schema.printed()
