"""The messages of one topic: their sequence, their queue, and the local order book."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from .book import OrderBook
from .decode import decode
from .errors import MalformedAnswer, SlowConsumer, StreamClosed, VenuegateError
from .records import BookChange

T = TypeVar("T")

OnFull = Literal["gap", "raise"]
"""What happens when a program does not read the messages of a topic in time.

gap: the waiting messages are dropped; when the program reads again it gets a message of type
gap, then a new snapshot. raise: SlowConsumer is raised and the topic ends.
"""


@dataclass(frozen=True)
class Message(Generic[T]):
    """A message of a topic.

    type is snapshot (items replace all that was known), update, delta (of a book), stale (do
    not use the book until the next snapshot) or gap. A gap is made by the service or by this
    client: cause is venue (the service could not send missed messages), sequence (a message
    was lost on the way), connection (error is why it ended; what happened meanwhile is not
    repeated) or queue (missed messages were not read in time). After it comes a snapshot,
    except on trades, which have none.
    """

    channel: str
    type: str
    items: tuple[T, ...] = ()
    seq: int | None = None
    ts: datetime | None = None
    venue_ts: datetime | None = None
    missed: int | None = None
    cause: str | None = None
    error: StreamClosed | None = None


class Subscription(Generic[T]):
    """The messages of one topic, to be read with `async for`. It may be used in `async with`.

    channel is the canonical name of the topic. Of a book topic, book is the local order book,
    which is kept up to date whether or not the messages are read. Iteration ends after close,
    and raises what ended the topic otherwise: StreamClosed or TopicRejected.
    """

    def __init__(
        self,
        topic: str,
        record: type[T],
        refresh: Callable[[Subscription[Any]], None],
        leave: Callable[[Subscription[Any]], None],
        on_full: OnFull,
        queue_max: int,
    ) -> None:
        self.channel = topic
        self.book = OrderBook()
        self.confirmed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._record = record
        self._refresh, self._leave = refresh, leave
        self._on_full, self._queue_max = on_full, queue_max
        self._has_snapshot = not topic.startswith("trades:")
        # Whether messages are ignored until a snapshot, and the seq that the next must have.
        self._awaiting = self._has_snapshot
        self._next: int | None = None
        self._queue: deque[Message[T]] = deque()
        self._dropped = 0
        self._changed = asyncio.Event()
        self._closed = False
        self._error: VenuegateError | None = None

    def __aiter__(self) -> Subscription[T]:
        return self

    async def __anext__(self) -> Message[T]:
        while True:
            if self._dropped:
                missed, self._dropped = self._dropped, 0
                self._restart()
                return Message(self.channel, "gap", missed=missed, cause="queue")
            if self._queue:
                return self._queue.popleft()
            if self._error is not None:
                raise self._error
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()

    async def __aenter__(self) -> Subscription[T]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Unsubscribe. Messages that wait can still be read."""
        if not self._closed:
            self._leave(self)
            self.end(None)

    def receive(self, frame: dict[str, Any]) -> None:
        """Take a message of the service; for Stream."""
        try:
            self._take(frame)
        except (MalformedAnswer, KeyError, TypeError) as error:
            self._leave(self)
            self.end(error if isinstance(error, MalformedAnswer) else MalformedAnswer(f"{self.channel}: {error!r}"))

    def lose(self, cause: str, missed: int | None = None, error: StreamClosed | None = None) -> None:
        """Deliver a gap, and ignore messages until the next snapshot; for Stream."""
        self.book.stale = True
        self._awaiting = self._has_snapshot
        self._next = None
        if self.confirmed.done():
            self._put(Message(self.channel, "gap", missed=missed, cause=cause, error=error))

    def end(self, error: VenuegateError | None) -> None:
        """End the topic, with an exception for its reader if error is given; for Stream."""
        self.book.stale = True
        self._closed, self._error = True, self._error or error
        if error is not None and not self.confirmed.done():
            self.confirmed.set_exception(error)
        self._changed.set()

    def _take(self, frame: dict[str, Any]) -> None:
        kind, seq = frame["type"], frame["seq"]
        if kind == "snapshot":
            self._awaiting = False
        elif kind == "stale":
            self._awaiting = True
        elif self._awaiting:
            return
        elif kind != "gap" and self._next is not None and seq != self._next:
            self.lose("sequence", missed=seq - self._next if seq > self._next else None)
            if self._has_snapshot:
                self._refresh(self)
                return
        self._next = seq + 1
        self._put(self._message(frame))

    def _message(self, frame: dict[str, Any]) -> Message[T]:
        kind, data = frame["type"], frame.get("data")
        values = data if isinstance(data, list) else [] if data is None else [data]
        items = tuple(decode(self._record, value) for value in values)
        for item in items:
            if isinstance(item, BookChange):
                (self.book.set if kind == "snapshot" else self.book.change)(item)
        if kind == "stale":
            self.book.stale = True
        venue_ts = frame.get("venueTs")
        return Message(
            self.channel,
            kind,
            items,
            frame["seq"],
            decode(datetime, frame["ts"]),
            None if venue_ts is None else decode(datetime, venue_ts),
            missed=frame.get("missed"),
            cause="venue" if kind == "gap" else None,
        )

    def _put(self, message: Message[T]) -> None:
        if self._closed:
            return
        if not self._dropped and len(self._queue) < self._queue_max:
            self._queue.append(message)
        elif self._on_full == "raise":
            self._leave(self)
            self.end(SlowConsumer(None, f"{self._queue_max} messages of {self.channel} were not read in time"))
        else:
            self._dropped += len(self._queue) + 1
            self._queue.clear()
        self._changed.set()

    def _restart(self) -> None:
        if self._has_snapshot and not self._closed:
            self._awaiting = True
            self.book.stale = True
            self._refresh(self)


