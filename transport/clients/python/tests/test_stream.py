"""The stream against the running service, and against a server that loses messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest
import websockets

import venuegate
from harness import Service
from venuegate import Client, Message, Stream, StreamLimits, Subscription

FAST = StreamLimits(backoff_seconds=0.05, rejected_retry_seconds=0.1)
WAIT_SECONDS_MAX = 20


async def until(subscription: Subscription[Any], *types: str) -> list[Message[Any]]:
    """Read messages until there was one of each type, in this order, and return all."""
    messages: list[Message[Any]] = []
    async with asyncio.timeout(WAIT_SECONDS_MAX):
        for wanted in types:
            async for message in subscription:
                messages.append(message)
                if message.type == wanted:
                    break
    return messages


def open_stream(service: Service, key: str | None = None, limits: StreamLimits = FAST) -> Stream:
    return Stream(service.demo["wsUrl"], key or service.demo["apiKey"], limits=limits)


@pytest.mark.parametrize("exchange", ["binance", "bybit", "okx"])
async def test_book_is_exact(client: Client, service: Service, exchange: str) -> None:
    """A book made of a snapshot and many deltas equals a new snapshot."""
    async with client.stream() as stream, client.stream() as other:
        book = await stream.book(exchange, "ETH/USDT:USDT", 10)
        assert book.channel == f"book:{exchange}:ETHUSDT:10"
        await until(book, *["snapshot"] + ["delta"] * 30)
        service.venues.control(exchange, "/market", {"symbol": "ETHUSDT", "pause": True})
        try:
            await asyncio.sleep(0.5)
            async with await other.book(exchange, "ETHUSDT", 10) as fresh:
                await until(fresh, "snapshot")
                assert not book.book.stale and len(fresh.book.bids()) == 10
                assert book.book.bids() == fresh.book.bids() and book.book.asks() == fresh.book.asks()
                assert book.book.best_bid == fresh.book.bids()[0] == max(fresh.book.bids())
                assert book.book.best_ask == fresh.book.asks(1)[0] == min(fresh.book.asks())
        finally:
            service.venues.control(exchange, "/market", {"symbol": "ETHUSDT", "pause": False})


async def test_gap_of_the_venue(client: Client, service: Service) -> None:
    async with client.stream() as stream:
        book = await stream.book("binance", "LTCUSDT", 20)
        await until(book, "snapshot")
        service.venues.control("binance", "/faults", {"match": {"op": "ltcusdt@depth"}, "do": "gap", "times": 1})
        messages = await until(book, "stale", "snapshot")
        after = [m.type for m in messages].index("stale")
        assert [m.type for m in messages][after:] == ["stale", "snapshot"], "no delta between them"
        assert not book.book.stale


async def test_market_data(client: Client) -> None:
    async with client.stream() as stream:
        trades = await stream.trades("okx", "BTCUSDT")
        candles = await stream.candles("okx", "BTCUSDT", "1m")
        [trade] = (await until(trades, "update"))[0].items
        assert trade.price > 0 and trade.side in ("buy", "sell") and isinstance(trade.qty, Decimal)
        [candle] = (await until(candles, "snapshot"))[0].items
        assert candle.low <= candle.close <= candle.high and candle.end > candle.start


async def test_private_topics(client: Client) -> None:
    async with client.stream() as stream:
        orders, positions, account = await stream.orders(), await stream.positions(), await stream.account()
        for topic in (orders, positions, account):
            await until(topic, "snapshot")  # type: ignore[arg-type]
        order = await client.place_order("okx", "XRPUSDT", "buy", 100)
        async with asyncio.timeout(WAIT_SECONDS_MAX):
            async for message in orders:
                if message.items[0].order_id == order.order_id and message.items[0].status == "filled":
                    break
        # A position that is closed before the venue has reported it open is not published.
        [opened] = (await until(positions, "update"))[-1].items
        assert (opened.symbol, opened.signed_qty) == ("XRPUSDT", 100)
        await client.close_position("okx", "XRPUSDT")
        async with asyncio.timeout(WAIT_SECONDS_MAX):
            async for change in positions:
                if change.items[0].qty == 0:
                    assert change.items[0].reason == "manual"
                    break
        [balance] = (await until(account, "update"))[-1].items
        assert (balance.exchange, balance.currency) == ("okx", "USDT")


async def test_rejected_topics(service: Service) -> None:
    async with open_stream(service, service.demo["readKey"]) as stream:
        with pytest.raises(venuegate.TopicRejected) as raised:
            await stream.positions()
        assert (raised.value.code, raised.value.reason) == (4003, "scope_required")
        with pytest.raises(venuegate.TopicRejected) as unknown:
            await stream.trades("binance", "NOPEUSDT")
        assert unknown.value.code == 4004
        async with await stream.trades("binance", "BTCUSDT") as trades:
            with pytest.raises(venuegate.TopicRejected, match="already"):
                await stream.trades("binance", "BTC/USDT:USDT")
            await until(trades, "update")
        async with asyncio.timeout(WAIT_SECONDS_MAX):
            async for _ in trades:
                pass  # Iteration ends after close.
        again = await stream.trades("binance", "BTCUSDT")
        await until(again, "update")


async def test_revoked_key(service: Service) -> None:
    key = service.new_key()
    async with open_stream(service, key) as stream:
        orders = await stream.orders()
        await until(orders, "snapshot")
        service.revoke(key)
        with pytest.raises(venuegate.StreamUnauthorized) as raised:
            await until(orders, "gap")
        assert raised.value.code == 4001
        with pytest.raises(venuegate.StreamUnauthorized):
            await stream.account()
    with pytest.raises(venuegate.StreamUnauthorized):
        await open_stream(service, key).open()


async def test_unreachable() -> None:
    with pytest.raises(venuegate.ConnectionFailed):
        await Stream("ws://127.0.0.1:9/v1/stream", "vgk_x").open()


async def test_restart_of_the_service(own_service: Service) -> None:
    """The topics survive a kill: each has a gap, then a snapshot."""
    async with Client(own_service.url, own_service.demo["apiKey"]) as client, open_stream(own_service) as stream:
        book, orders = await stream.book("okx", "BTCUSDT", 5), await stream.orders()
        await until(book, "snapshot")
        await until(orders, "snapshot")
        order = await client.place_order("okx", "BTCUSDT", "buy", "0.01", type="limit", price=50000)
        own_service.kill()
        messages = await until(book, "gap")
        assert book.book.stale and messages[-1].cause == "connection" and messages[-1].error is not None
        await asyncio.to_thread(own_service.start)
        await until(book, "snapshot")
        assert not book.book.stale
        [snapshot] = (await until(orders, "gap", "snapshot"))[-1:]
        assert [o.order_id for o in snapshot.items] == [order.order_id]


async def test_slow_program(service: Service) -> None:
    async with open_stream(service, limits=StreamLimits(queue_max=3)) as stream:
        book = await stream.book("binance", "BTCUSDT", 20)
        trades = await stream.trades("binance", "BTCUSDT", on_full="raise")
        await asyncio.sleep(3)
        first, second = await until(book, "gap", "snapshot")
        assert first.cause == "queue" and first.missed is not None and first.missed > 3 and second.items
        with pytest.raises(venuegate.SlowConsumer):
            await until(trades, "gap")


Script = Callable[[Any, "Fake"], Awaitable[None]]


class Fake:
    """A server with the protocol of the stream, for what the service does not do."""

    def __init__(self) -> None:
        self.connections = 0
        self.ops: list[str] = []

    async def accept(self, socket: Any) -> None:
        self.connections += 1
        await socket.send(json.dumps({"op": "welcome", "connId": "c", "serverTime": "", "pingSec": 1, "maxChannels": 200}))
        await self.reply(socket, scopes=[])

    async def reply(self, socket: Any, **members: Any) -> list[str]:
        request = json.loads(await socket.recv())
        self.ops.append(request["op"])
        channels = request.get("channels", [])
        frame = {"op": request["op"], "id": request.get("id"), "ok": True, "channels": channels, "rejected": []}
        await socket.send(json.dumps(frame | members))
        return list(channels)

    async def book(self, socket: Any, kind: str, seq: int, bid: str, qty: str = "1") -> None:
        data = {"bids": [[bid, qty]], "asks": []}
        frame = {"channel": "book:okx:BTCUSDT:5", "type": kind, "seq": seq, "ts": "2026-11-20T09:19:00.123Z", "venueTs": None}
        await socket.send(json.dumps(frame | ({} if kind == "stale" else {"data": data})))


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[tuple[Stream, Fake]]:
    fake = Fake()

    async def serve(socket: Any, path: str = "") -> None:
        await fake.accept(socket)
        await script(socket, fake)

    start: Any = getattr(websockets, "serve")
    async with start(serve, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with Stream(f"ws://127.0.0.1:{port}", "vgk_x", limits=FAST) as stream:
            yield stream, fake


async def test_lost_message() -> None:
    """A seq that does not follow is a gap, and the client gets a new snapshot itself."""

    async def script(socket: Any, fake: Fake) -> None:
        await fake.reply(socket)
        await fake.book(socket, "snapshot", 41, "100")
        await fake.book(socket, "delta", 42, "101")
        await fake.book(socket, "delta", 44, "102")
        await fake.book(socket, "delta", 45, "103")  # To be ignored.
        await fake.reply(socket)
        await fake.reply(socket)
        await fake.book(socket, "snapshot", 7, "110")
        await fake.book(socket, "delta", 8, "110", "0")
        await socket.wait_closed()

    async with serving(script) as (stream, fake):
        book = await stream.book("okx", "BTCUSDT", 5)
        messages = await until(book, "gap", "snapshot", "delta")
        assert [m.type for m in messages] == ["snapshot", "delta", "gap", "snapshot", "delta"]
        assert (messages[2].cause, messages[2].missed) == ("sequence", 1)
        assert fake.ops == ["auth", "subscribe", "unsubscribe", "subscribe"]
        assert book.book.bids() == () and not book.book.stale


async def test_stale_out_of_order() -> None:
    async def script(socket: Any, fake: Fake) -> None:
        await fake.reply(socket)
        await fake.book(socket, "snapshot", 41, "100")
        await fake.book(socket, "stale", 99, "")
        await fake.book(socket, "delta", 42, "101")  # To be ignored.
        await fake.book(socket, "snapshot", 50, "102")
        await socket.wait_closed()

    async with serving(script) as (stream, fake):
        book = await stream.book("okx", "BTCUSDT", 5)
        assert [m.type for m in await until(book, "stale", "snapshot")] == ["snapshot", "stale", "snapshot"]
        assert book.book.bids() == ((Decimal(102), Decimal(1)),)


CLOSES = [
    (4008, venuegate.PingTimeout),
    (4009, venuegate.SlowConsumer),
    (4010, venuegate.AuthTimeout),
    (4012, venuegate.ServerRestart),
    (1011, venuegate.StreamClosed),
]


@pytest.mark.parametrize("code,kind", CLOSES)
async def test_recoverable_close(code: int, kind: type[venuegate.StreamClosed]) -> None:
    async def script(socket: Any, fake: Fake) -> None:
        await fake.reply(socket)
        await fake.book(socket, "snapshot", 1, "100")
        if fake.connections == 1:
            await socket.close(code, "scripted")
        await socket.wait_closed()

    async with serving(script) as (stream, fake):
        book = await stream.book("okx", "BTCUSDT", 5)
        messages = await until(book, "gap", "snapshot")
        error = messages[1].error
        assert type(error) is kind and error.code == code and fake.connections == 2


@pytest.mark.parametrize("code,kind", [(4000, venuegate.BadMessage), (4001, venuegate.StreamUnauthorized)])
async def test_final_close(code: int, kind: type[venuegate.StreamClosed]) -> None:
    async def script(socket: Any, fake: Fake) -> None:
        await fake.reply(socket)
        await socket.close(code, "scripted")

    async with serving(script) as (stream, fake):
        with pytest.raises(kind):
            await until(await stream.book("okx", "BTCUSDT", 5), "gap")
        assert fake.connections == 1


async def test_silence_and_pings() -> None:
    """Pings are sent, and a connection on which nothing arrives is replaced."""

    async def script(socket: Any, fake: Fake) -> None:
        await fake.reply(socket)
        await fake.book(socket, "snapshot", 1, "100")
        if fake.connections == 2:
            await fake.reply(socket)
        await socket.wait_closed()

    async with serving(script) as (stream, fake):
        book = await stream.book("okx", "BTCUSDT", 5)
        messages = await until(book, "gap", "snapshot")
        assert isinstance(messages[1].error, venuegate.StreamClosed) and messages[1].error.code is None
        await asyncio.sleep(1.2)
        assert fake.ops == ["auth", "subscribe", "auth", "subscribe", "ping"]


@pytest.mark.parametrize("frame", ["no JSON", "[]", '{"op":"subscribe","id":1}', '{"channel":[]}'])
async def test_malformed_frame(frame: str) -> None:
    """A frame that is no message of the stream costs the connection, not the topics."""

    async def script(socket: Any, fake: Fake) -> None:
        if fake.connections == 1:
            await socket.recv()
            await socket.send(frame)
        else:
            await fake.reply(socket)
        await socket.wait_closed()

    async with serving(script) as (stream, fake):
        async with asyncio.timeout(WAIT_SECONDS_MAX):
            await stream.book("okx", "BTCUSDT", 5)
        assert fake.connections == 2


async def test_not_available_yet() -> None:
    """A topic that is temporarily rejected is requested again."""

    async def script(socket: Any, fake: Fake) -> None:
        rejection = {"channel": "book:okx:BTCUSDT:5", "code": 4012, "message": "starting", "reason": "maintenance"}
        await fake.reply(socket, channels=[], rejected=[rejection])
        await fake.reply(socket)
        await socket.wait_closed()

    async with serving(script) as (stream, fake):
        async with asyncio.timeout(WAIT_SECONDS_MAX):
            await stream.book("okx", "BTCUSDT", 5)
        assert fake.ops == ["auth", "subscribe", "subscribe"]
