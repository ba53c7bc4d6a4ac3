"""Sends requests, with the retries that the document of the service allows.

A read is repeated after 429, 5xx and lost connections. A request that changes something is
repeated only if nothing was sent, if the service answered that nothing was done, or if its
kind is such that a second arrival has no second effect.
"""

from __future__ import annotations

import asyncio
import enum
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from .decode import parse
from .errors import (
    API_ERRORS,
    ApiError,
    ConnectionFailed,
    InternalError,
    MalformedAnswer,
    OutcomeUnknown,
    RateLimited,
    VenuegateError,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Time-outs and limits of a client; those of retries are the document's.

    answer_seconds is for one attempt with its body, so a call takes at most retries + 1 times
    that and the waits between. A Retry-After above retry_after_seconds_max is not waited for:
    the error is raised.
    """

    connect_seconds: float = 5
    answer_seconds: float = 20
    retries: int = 5
    backoff_seconds: float = 0.5
    backoff_seconds_max: float = 30
    retry_after_seconds_max: float = 65
    answer_bytes_max: int = 16 << 20
    connections_max: int = 20


class Effect(enum.Enum):
    """What a second arrival of a request does."""

    READ = "nothing, as the first"
    KEYED = "nothing: the service recognizes the requestId"
    CANCEL = "nothing: the order is cancelled once"
    CHANGE = "perhaps something"


@dataclass(frozen=True, slots=True)
class Request:
    """A request, without what is the same for all."""

    method: str
    path: str
    effect: Effect = Effect.READ
    action: str = ""
    request_id: str | None = None
    query: Mapping[str, str] | None = None
    body: bytes | None = None
    headers: Mapping[str, str] | None = None
    answers: tuple[int, ...] = (200, 201, 202)
    with_key: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the service that is no error."""

    status: int
    body: bytes

    def json(self) -> Any:
        """Return the body as a JSON value."""
        return parse(self.body)


class _Lost(ConnectionFailed):
    """The connection was lost after the request may have been sent."""


class _ForeignAnswer(MalformedAnswer):
    """An answer of something in front of the service, such as a proxy."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status} without an answer of the service")
        self.status = status


# A repeat of a request with one of these answers was handled by the service itself, so the
# first arrival, if there was one, had no effect. Other errors do not relate to the first.
_CONCLUSIVE = {Effect.KEYED: (400, 409, 422, 502), Effect.CANCEL: (400, 404, 422)}


class Http:
    """The connections to one service."""

    def __init__(self, base_url: str, api_key: str | None, limits: Limits) -> None:
        self._limits = limits
        self._key = api_key
        self._client = httpx.AsyncClient(
            base_url=base_url,
            timeout=httpx.Timeout(limits.answer_seconds, connect=limits.connect_seconds),
            limits=httpx.Limits(max_connections=limits.connections_max),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def send(self, request: Request) -> Answer:
        """Send a request, with retries, and return its answer or raise what prevented it."""
        unclear = False
        attempt = 0
        while True:
            try:
                return await self._attempt(request)
            except VenuegateError as error:
                unclear = unclear or _is_unclear(error)
                wait = self._wait_seconds(error, attempt)
                if wait is None or (unclear and request.effect is Effect.CHANGE):
                    if unclear and not _is_conclusive(request, error):
                        raise OutcomeUnknown(request.action, request.request_id) from error
                    raise
            attempt += 1
            await asyncio.sleep(wait)

    async def _attempt(self, request: Request) -> Answer:
        try:
            # In a task of its own, because anyio 3 leaves a count of cancellations in the task
            # that connects, which then breaks asyncio.timeout in the caller's code.
            task = asyncio.create_task(self._exchange(request))
            response, body = await asyncio.wait_for(task, self._limits.answer_seconds)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise ConnectionFailed(f"no connection to the service: {error!r}") from error
        except (httpx.TransportError, httpx.DecodingError, TimeoutError) as error:
            raise _Lost(f"no answer of the service: {error!r}") from error
        if response.status_code in request.answers:
            return Answer(response.status_code, body)
        raise _api_error(response, body)

    async def _exchange(self, request: Request) -> tuple[httpx.Response, bytes]:
        headers = dict(request.headers or {})
        if request.with_key and self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        async with self._client.stream(
            request.method, request.path, params=request.query, content=request.body, headers=headers
        ) as response:
            return response, await self._read(response)

    async def _read(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > self._limits.answer_bytes_max:
                raise MalformedAnswer(f"an answer of more than {self._limits.answer_bytes_max} bytes")
        return bytes(body)

    def _wait_seconds(self, error: VenuegateError, attempt: int) -> float | None:
        """Return how long to wait before the next attempt, None if there is none."""
        status = error.status if isinstance(error, (ApiError, _ForeignAnswer)) else 0
        if attempt >= self._limits.retries:
            return None
        if not isinstance(error, (ConnectionFailed, RateLimited)) and status < 500:
            return None
        after = error.retry_after if isinstance(error, ApiError) else None
        if after is not None and after > self._limits.retry_after_seconds_max:
            return None
        backoff = min(self._limits.backoff_seconds * 2.0**attempt, self._limits.backoff_seconds_max)
        return max(after or 0.0, backoff * random.uniform(0.5, 1))


def _is_unclear(error: VenuegateError) -> bool:
    """Report whether the request may have been carried out although it failed."""
    return isinstance(error, (_Lost, MalformedAnswer, InternalError))


def _is_conclusive(request: Request, error: VenuegateError) -> bool:
    if request.effect is Effect.READ:
        return True
    return isinstance(error, ApiError) and error.status in _CONCLUSIVE.get(request.effect, ())


def _api_error(response: httpx.Response, body: bytes) -> VenuegateError:
    try:
        envelope = parse(body)["error"]
        code, message, details = envelope["code"], envelope["message"], envelope["details"]
        request_id, doc_url = envelope["requestId"], envelope.get("docUrl", "")
    except (MalformedAnswer, KeyError, TypeError):
        return _ForeignAnswer(response.status_code)
    after = response.headers.get("Retry-After", "")
    retry_after = float(after) if after.isdecimal() else None
    kind = API_ERRORS.get(code, ApiError)
    return kind(response.status_code, code, message, details, request_id, retry_after, doc_url)
