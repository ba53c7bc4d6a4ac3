"""Exceptions. Everything that this package raises on purpose is a VenuegateError.

An answer of the service with an error code is an ApiError of the subclass of its code; a
code that this version does not have is an ApiError itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .records import Order


class VenuegateError(Exception):
    """Base of all exceptions of this package."""


class ConnectionFailed(VenuegateError):
    """The service could not be reached, or did not answer a read. Nothing was changed."""


class MalformedAnswer(VenuegateError):
    """The service, or something in front of it, answered what its document does not describe."""


class OutcomeUnknown(VenuegateError):
    """The request may or may not have been carried out; the last error is __cause__.

    For an order, request_id is its idempotency key: the same call with that request_id is
    safe, and find_order(request_id) reads what is known. For other requests it is None; read
    the order or the position.
    """

    def __init__(self, action: str, request_id: str | None) -> None:
        key = f" (requestId {request_id})" if request_id else ""
        super().__init__(f"the outcome of {action}{key} is not known")
        self.action = action
        self.request_id = request_id


class ApiError(VenuegateError):
    """An error that the service answered.

    status is that of HTTP, code the service's, message is for people, details depend on the
    code, request_id is the X-Request-Id to quote in support requests, retry_after is in
    seconds where the service gave it, doc_url is where the code is explained, relative to the
    address of the service.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Mapping[str, Any],
        request_id: str,
        retry_after: float | None = None,
        doc_url: str = "",
    ) -> None:
        super().__init__(f"{code}: {message} ({status}, {request_id})")
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after
        self.doc_url = doc_url

    @property
    def order(self) -> Order | None:
        """The record in details.order: of a duplicate, or of an order that a venue rejected."""
        from .decode import decode
        from .records import Order

        record = self.details.get("order")
        return None if record is None else decode(Order, record)


class InvalidRequest(ApiError):
    """400: the request is invalid; details["fields"] lists each error."""


class Unauthorized(ApiError):
    """401: the key is missing, wrong, expired or revoked."""


class BadSignature(ApiError):
    """401: the signature of a signal is missing, wrong or out of date."""


class ScopeRequired(ApiError):
    """403: the key lacks the scope details["required"]."""


class NotFound(ApiError):
    """404: unknown, not connected, or no longer open: then details["status"] is final."""


class DuplicateRequest(ApiError):
    """409: the requestId was used for a request with another body; order is that of the first."""


class Refused(ApiError):
    """422: well-formed, but it cannot be carried out. Nothing was placed or changed."""


class InsufficientBalance(Refused):
    """422: reduce the quantity."""


class SymbolNotTradable(Refused):
    """422: the instrument is unknown or not open for trading."""


class LeverageChangeRejected(Refused):
    """422: the venue rejected a change of leverage."""


class OrderRejected(Refused):
    """422: the venue rejected the order; details["reason"] where it is known."""


class TradingLocked(Refused):
    """422: only orders that reduce a position are accepted."""


class RiskRejected(Refused):
    """422: the order exceeds a limit that you or the channel has set."""


class RateLimited(ApiError):
    """429: too many requests; retry_after is how many seconds to wait."""


class InternalError(ApiError):
    """500: an error of the service."""


class ExchangeUnavailable(ApiError):
    """502: the venue does not respond. Nothing was placed."""


class Maintenance(ApiError):
    """503: the service is starting, under maintenance, or its disk is full."""


API_ERRORS: Mapping[str, type[ApiError]] = {
    "invalid_request": InvalidRequest,
    "unauthorized": Unauthorized,
    "bad_signature": BadSignature,
    "scope_required": ScopeRequired,
    "not_found": NotFound,
    "duplicate_request": DuplicateRequest,
    "insufficient_balance": InsufficientBalance,
    "symbol_not_tradable": SymbolNotTradable,
    "leverage_change_rejected": LeverageChangeRejected,
    "order_rejected": OrderRejected,
    "trading_locked": TradingLocked,
    "risk_rejected": RiskRejected,
    "rate_limited": RateLimited,
    "internal_error": InternalError,
    "exchange_unavailable": ExchangeUnavailable,
    "maintenance": Maintenance,
}


class InvalidEvent(VenuegateError):
    """A request to an endpoint is not an event of the service; do not use its body."""


class StreamClosed(VenuegateError):
    """The stream was closed or could not be opened; code is that of the close or of the error.

    code is None where the connection ended without one.
    """

    def __init__(self, code: int | None, reason: str) -> None:
        super().__init__(f"the stream was closed: {reason or 'connection lost'} ({code})")
        self.code = code
        self.reason = reason


class BadMessage(StreamClosed):
    """4000: the service did not accept a message."""


class StreamUnauthorized(StreamClosed):
    """4001: the key is wrong, expired, changed or revoked."""


class PingTimeout(StreamClosed):
    """4008: the service received nothing for too long."""


class SlowConsumer(StreamClosed):
    """4009: messages were not read in time, by this program or over this network."""


class AuthTimeout(StreamClosed):
    """4010: no authentication in time."""


class ServerRestart(StreamClosed):
    """4012: the service shuts down or cannot check the key now."""


class ConnectionLimit(StreamClosed):
    """4029: too many connections of this key, or too many topics."""


STREAM_ERRORS: Mapping[int, type[StreamClosed]] = {
    4000: BadMessage,
    4001: StreamUnauthorized,
    4008: PingTimeout,
    4009: SlowConsumer,
    4010: AuthTimeout,
    4012: ServerRestart,
    4029: ConnectionLimit,
}


def stream_error(code: int | None, reason: str) -> StreamClosed:
    """Return the exception of a close code."""
    return STREAM_ERRORS.get(code or 0, StreamClosed)(code, reason)


class TopicRejected(VenuegateError):
    """A topic was not subscribed: 4003 scope missing, 4004 no such topic, 4012 not available now."""

    def __init__(self, channel: str, code: int, message: str, reason: str) -> None:
        super().__init__(f"{channel}: {message} ({code})")
        self.channel = channel
        self.code = code
        self.message = message
        self.reason = reason
