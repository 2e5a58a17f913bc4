"""Schema: the parts together, with limits on what one request may cost.

What is over a limit is refused before it is validated, by the name of the limit. What fails
without being meant to is shown by its request id.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import strawberry
from graphql import GraphQLError, GraphQLSyntaxError, lexicographic_sort_schema, print_schema
from strawberry.extensions import (
    MaskErrors,
    MaxTokensLimiter,
    ParserCache,
    ValidationCache,
)
from strawberry.types import ExecutionContext

from api.graphql import limits, problems
from api.graphql.context import Context
from api.graphql.mutations import Mutation
from api.graphql.queries import Query
from api.graphql.subscriptions import Subscription
from api.ops import defects
from graphstore.errors import GarageError

_CACHED: Final = 128
_TOO_DEEP: Final = "nested too deeply"
"""What the parser says of a document that it cannot follow."""


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
        if isinstance(error.original_error, RecursionError):
            return limits.too_deep()
        if not _is_unexpected(error):
            return error
        unique = _request_id(self.execution_context)
        return GraphQLError(
            defects.told(unique),
            error.nodes,
            path=error.path,
            extensions={"code": "INTERNAL", "requestId": unique},
        )


class _Limited(ParserCache):
    """Parses a document, once for all requests that repeat it, and refuses what costs too much."""

    def on_parse(self) -> Iterator[None]:
        """Refuse a document over a limit before it is validated."""
        context = self.execution_context
        text = context.query or ""
        limits.check_text(text)
        try:
            document = self.cached_parse_document(text, **context.parse_options)
        except GraphQLSyntaxError as error:
            if _TOO_DEEP in error.message:
                raise limits.too_deep() from error
            raise
        limits.check(document, context.variables or {}, schema.sizes)
        context.graphql_document = document
        yield


class _Schema(strawberry.Schema):
    """A schema whose log holds no text of a request."""

    def printed(self) -> str:
        """Return the schema as SDL, sorted."""
        # Not `sort_schema=True`: it breaks enums and unions.
        return print_schema(lexicographic_sort_schema(self._schema)) + "\n"

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many members each list at the root has when no argument says so."""
        root: Any = self._schema.query_type
        defaults = {
            name: argument.default_value
            for name, field in root.fields.items()
            for key, argument in field.args.items()
            if key in limits.SIZES
        }
        return {
            name: default if isinstance(default, int) else limits.UNSTATED
            for name, default in defaults.items()
        }

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log what nobody meant: where it happened and its kind, never its text."""
        for error in filter(_is_unexpected, errors):
            place = ".".join(map(str, error.path or ()))
            defects.log(_request_id(execution_context), place, error.original_error)


def _request_id(execution_context: ExecutionContext | None) -> str:
    context: Any = execution_context.context if execution_context else None
    return context.request_id if isinstance(context, Context) else "unknown"


schema: Final = _Schema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    exception_handlers=problems.handlers(),
    extensions=[
        lambda: MaxTokensLimiter(max_token_count=limits.MAX_TOKENS),
        lambda: _Limited(maxsize=_CACHED),
        lambda: ValidationCache(maxsize=_CACHED),
        _Masked,
    ],
)


def printed() -> str:
    """Return the schema as SDL, in an order that does not depend on the code's."""
    return schema.printed()
