"""The stream: one connection that is kept, with the topics that are subscribed on it."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import websockets
from websockets.exceptions import ConnectionClosed, WebSocketException

from .decode import parse
from .errors import ConnectionFailed, MalformedAnswer, StreamClosed, TopicRejected, VenuegateError, stream_error
from .records import Account, BookChange, Candle, Order, Position, Trade
from .subscription import OnFull, Subscription

T = TypeVar("T")

_log = logging.getLogger("venuegate")

# The package makes its names available at run time only, which type checkers do not follow.
_websocket: Any = getattr(websockets, "connect")

_FATAL = (4000, 4001)
_TRY_LATER = 4012

# What reading a frame raises that the document of the stream does not describe.
_MALFORMED = (MalformedAnswer, LookupError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Time-outs and limits of a stream; those of reconnecting are the document's.

    A connection on which nothing arrives for silence_factor times the interval of its pings is
    given up. queue_max is the number of messages of a topic that wait for the program.
    """

    open_seconds: float = 10
    close_seconds: float = 1
    backoff_seconds: float = 1
    backoff_seconds_max: float = 30
    rejected_retry_seconds: float = 1
    silence_factor: float = 2.5
    frame_bytes_max: int = 16 << 20
    outgoing_max: int = 1000
    queue_max: int = 10_000


class _Socket(Protocol):
    async def recv(self) -> str | bytes: ...

    async def send(self, message: str) -> None: ...

    async def close(self) -> None: ...


class Stream:
    """A connection to the stream, to be used in `async with`, which opens it.

    A lost connection is opened again, with increasing waits, and every topic is subscribed
    again; each topic gets a message of type gap with the cause connection, then a snapshot.
    Only a rejected key (StreamUnauthorized) and a violation of the protocol (BadMessage) end
    it: then the iteration of every topic raises that.
    """

    def __init__(self, url: str, api_key: str, *, limits: StreamLimits = StreamLimits()) -> None:
        self._url, self._key, self._limits = url, api_key, limits
        self._topics: dict[str, Subscription[Any]] = {}
        self._requested: list[Subscription[Any]] = []
        self._replies: dict[int, Callable[[dict[str, Any]], None]] = {}
        self._last_id = 0
        self._ping_seconds = 20.0
        self._outgoing: asyncio.Queue[str] | None = None
        self._task: asyncio.Task[None] | None = None
        self._error: VenuegateError | None = None

    async def __aenter__(self) -> Stream:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Connect and authenticate. Raises what prevents it; only later losses are retried."""
        if self._task is not None:
            raise ValueError("the stream was opened before; use a new one")
        socket = await self._connect()
        self._task = asyncio.create_task(self._run(socket))

    async def close(self) -> None:
        """Close the connection and end all topics."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._end(StreamClosed(None, "closed by this program"), quiet=True)

    async def trades(self, exchange: str, symbol: str, *, on_full: OnFull = "gap") -> Subscription[Trade]:
        """Subscribe to every trade of an instrument."""
        return await self._subscribe(f"trades:{exchange}:{symbol}", Trade, on_full)

    async def book(
        self, exchange: str, symbol: str, depth: int = 20, *, on_full: OnFull = "gap"
    ) -> Subscription[BookChange]:
        """Subscribe to the best levels of an order book: 1, 5, 10, 20, 50, 100 or 200.

        The local book is the attribute book of the subscription.
        """
        return await self._subscribe(f"book:{exchange}:{symbol}:{depth}", BookChange, on_full)

    async def candles(
        self, exchange: str, symbol: str, timeframe: str, *, on_full: OnFull = "gap"
    ) -> Subscription[Candle]:
        """Subscribe to candles, including the unclosed one: 1m 3m 5m 15m 30m 1h 2h 4h 6h 12h 1d 1w."""
        return await self._subscribe(f"kline:{exchange}:{symbol}:{timeframe}", Candle, on_full)

    async def orders(self, *, on_full: OnFull = "raise") -> Subscription[Order]:
        """Subscribe to the orders of the customer; the snapshot has all that are open."""
        return await self._subscribe("orders", Order, on_full)

    async def positions(self, *, on_full: OnFull = "raise") -> Subscription[Position]:
        """Subscribe to the positions of the customer; a closed one comes once, with qty zero."""
        return await self._subscribe("positions", Position, on_full)

    async def account(self, *, on_full: OnFull = "raise") -> Subscription[Account]:
        """Subscribe to the balances of the customer."""
        return await self._subscribe("account", Account, on_full)

    async def _subscribe(self, topic: str, record: type[T], on_full: OnFull) -> Subscription[T]:
        if self._task is None:
            raise ValueError("the stream is not open; use it in `async with`")
        if self._error is not None:
            raise self._error
        subscription = Subscription(topic, record, self._refresh, self._leave, on_full, self._limits.queue_max)
        self._requested.append(subscription)
        self._request(subscription)
        try:
            await subscription.confirmed
        except asyncio.CancelledError:
            await subscription.close()
            raise
        return subscription

    # The connection.

    async def _run(self, socket: _Socket) -> None:
        losses = 0
        while True:
            started = asyncio.get_running_loop().time()
            error = await self._serve(socket)
            _log.warning("%s: %s", self._url, error)
            if error.code in _FATAL:
                return self._end(error)
            for subscription in self._topics.values():
                subscription.lose("connection", error=error)
            if asyncio.get_running_loop().time() - started > self._limits.backoff_seconds_max:
                losses = 0
            try:
                socket, losses = await self._reconnect(losses)
            except StreamClosed as fatal:
                return self._end(fatal)

    async def _reconnect(self, losses: int) -> tuple[_Socket, int]:
        while True:
            backoff = min(self._limits.backoff_seconds * 2.0**losses, self._limits.backoff_seconds_max)
            await asyncio.sleep(backoff * random.uniform(0.5, 1))
            losses = min(losses + 1, 16)
            try:
                return await self._connect(), losses
            except (StreamClosed, ConnectionFailed) as error:
                if isinstance(error, StreamClosed) and error.code in _FATAL:
                    raise
                _log.info("%s: %s", self._url, error)

    async def _connect(self) -> _Socket:
        """Open a connection and authenticate it."""
        try:
            async with asyncio.timeout(self._limits.open_seconds):
                socket: _Socket = await _websocket(
                    self._url,
                    ping_interval=None,
                    open_timeout=None,
                    close_timeout=self._limits.close_seconds,
                    max_size=self._limits.frame_bytes_max,
                )
                try:
                    await self._authenticate(socket)
                except BaseException:
                    await socket.close()
                    raise
        except ConnectionClosed as error:
            raise _closed(error) from error
        except (OSError, TimeoutError, WebSocketException, EOFError, *_MALFORMED) as error:
            raise ConnectionFailed(f"no stream at {self._url}: {error!r}") from error
        return socket

    async def _authenticate(self, socket: _Socket) -> None:
        await socket.send(json.dumps({"op": "auth", "token": self._key}))
        while True:
            frame = parse(await socket.recv())
            if frame.get("op") == "welcome":
                self._ping_seconds = float(frame["pingSec"])
            elif frame.get("op") == "error":
                raise stream_error(frame["code"], frame["message"])
            elif frame.get("op") == "auth":
                return

    async def _serve(self, socket: _Socket) -> StreamClosed:
        """Serve a connection until it ends, and return why."""
        self._replies.clear()
        self._outgoing = asyncio.Queue(self._limits.outgoing_max)
        if self._topics:
            self._send("subscribe", list(self._topics), self._resubscribed)
        for subscription in self._requested:
            self._request(subscription)
        writer = asyncio.create_task(self._write(socket, self._outgoing))
        try:
            while True:
                async with asyncio.timeout(self._ping_seconds * self._limits.silence_factor):
                    text = await socket.recv()
                self._dispatch(parse(text))
        except ConnectionClosed as error:
            return _closed(error)
        except (OSError, TimeoutError, asyncio.QueueFull, *_MALFORMED) as error:
            return StreamClosed(None, repr(error))
        finally:
            self._outgoing = None
            writer.cancel()
            await asyncio.shield(socket.close())

    async def _write(self, socket: _Socket, outgoing: asyncio.Queue[str]) -> None:
        """Send what is queued, and pings between."""
        clock = asyncio.get_running_loop()
        ping_at = clock.time() + self._ping_seconds
        try:
            while True:
                try:
                    async with asyncio.timeout_at(ping_at):
                        text = await outgoing.get()
                except TimeoutError:
                    text, ping_at = '{"op":"ping"}', clock.time() + self._ping_seconds
                await socket.send(text)
        except (OSError, ConnectionClosed):
            pass  # The reader sees it too.

    def _dispatch(self, frame: Any) -> None:
        if not isinstance(frame, dict):
            raise MalformedAnswer("a frame that is no object")
        if "channel" in frame:
            subscription = self._topics.get(frame["channel"])
            if subscription is not None:
                subscription.receive(frame)
            return
        reply = self._replies.pop(frame.get("id", 0), None)
        if reply is not None:
            reply(frame)
        elif frame.get("op") == "error":
            _log.warning("%s: %s (%s)", self._url, frame.get("message"), frame.get("code"))

    def _send(self, op: str, channels: list[str], reply: Callable[[dict[str, Any]], None] | None = None) -> None:
        """Queue a message, if there is a connection; a new one subscribes to everything itself."""
        if self._outgoing is None:
            return
        self._last_id += 1
        if reply is not None:
            self._replies[self._last_id] = reply
        self._outgoing.put_nowait(json.dumps({"op": op, "id": self._last_id, "channels": channels}))

    # Topics.

    def _request(self, subscription: Subscription[Any]) -> None:
        self._send("subscribe", [subscription.channel], lambda frame: self._subscribed(subscription, frame))

    def _subscribed(self, subscription: Subscription[Any], frame: dict[str, Any]) -> None:
        """Take the reply to the first subscription of a topic, which has its canonical name."""
        if subscription not in self._requested:
            return
        if frame.get("op") == "error":
            return self._reject(subscription, stream_error(frame["code"], frame["message"]))
        for rejected in frame["rejected"]:
            return self._rejected(subscription, rejected)
        channel = frame["channels"][0]
        if channel in self._topics:
            return self._reject(subscription, TopicRejected(channel, 4000, "is subscribed on this stream already", ""))
        self._requested.remove(subscription)
        subscription.channel = channel
        self._topics[channel] = subscription
        subscription.confirmed.set_result(None)

    def _resubscribed(self, frame: dict[str, Any]) -> None:
        for rejected in frame.get("rejected", ()):
            if rejected["channel"] in self._topics:
                self._rejected(self._topics[rejected["channel"]], rejected)

    def _rejected(self, subscription: Subscription[Any], rejected: dict[str, Any]) -> None:
        if rejected["code"] != _TRY_LATER:
            error = TopicRejected(rejected["channel"], rejected["code"], rejected["message"], rejected["reason"])
            return self._reject(subscription, error)
        again = self._request if subscription in self._requested else self._resubscribe
        asyncio.get_running_loop().call_later(self._limits.rejected_retry_seconds, again, subscription)

    def _reject(self, subscription: Subscription[Any], error: VenuegateError) -> None:
        self._forget(subscription)
        subscription.end(error)

    def _resubscribe(self, subscription: Subscription[Any]) -> None:
        if self._topics.get(subscription.channel) is subscription:
            self._send("subscribe", [subscription.channel], self._resubscribed)

    def _refresh(self, subscription: Subscription[Any]) -> None:
        """Request a new snapshot, which the service sends to a new subscriber."""
        self._send("unsubscribe", [subscription.channel])
        self._resubscribe(subscription)

    def _leave(self, subscription: Subscription[Any]) -> None:
        if self._forget(subscription):
            self._send("unsubscribe", [subscription.channel])

    def _forget(self, subscription: Subscription[Any]) -> bool:
        """Remove a topic and report whether the service may have it."""
        if subscription in self._requested:
            self._requested.remove(subscription)
            return True
        if self._topics.get(subscription.channel) is subscription:
            del self._topics[subscription.channel]
            return True
        return False

    def _end(self, error: StreamClosed, quiet: bool = False) -> None:
        self._error = self._error or error
        for subscription in [*self._topics.values(), *self._requested]:
            subscription.end(None if quiet else error)
        self._topics.clear()
        self._requested.clear()


def _closed(error: ConnectionClosed) -> StreamClosed:
    close = error.rcvd
    return stream_error(None, str(error)) if close is None else stream_error(close.code, close.reason)
