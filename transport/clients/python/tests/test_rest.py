"""Every method of the client against the running service."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

import venuegate
from harness import ROOT, Service
from venuegate import Client, Signal

EXCHANGES = ["binance", "bybit", "okx"]
RECORDS: dict[str, type[Any]] = {
    "/v1/instruments": venuegate.Instrument,
    "/v1/venues": venuegate.Venue,
    "/v1/tickers": venuegate.Ticker,
    "/v1/trades?exchange=binance&symbol=BTCUSDT": venuegate.Trade,
    "/v1/candles?exchange=binance&symbol=BTCUSDT&timeframe=1m": venuegate.Candle,
    "/v1/account": venuegate.Account,
    "/v1/positions": venuegate.Position,
    "/v1/orders?status=all": venuegate.Order,
    "/v1/fills": venuegate.Fill,
    "/v1/events": venuegate.Event,
}


def test_every_operation_has_a_method() -> None:
    document = Path(ROOT, "transport/api/openapi.yaml").read_text()
    paths = document[document.index("\npaths:") : document.index("\nwebhooks:")]
    operations = re.findall(r"operationId: (\w+)", paths)
    assert len(operations) >= 27, f"{len(operations)} operations, want at least 27"
    names = {re.sub(r"(?<=[a-z])([A-Z])", r"_\1", re.sub("OpenAPI|AsyncAPI", lambda m: m[0].capitalize(), name)).lower() for name in operations}
    missing = sorted(name for name in names if not hasattr(Client, name))
    assert not missing, f"operations without a method: {missing}"


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_life_of_an_order(client: Client, exchange: str) -> None:
    [instrument] = [i async for i in client.list_instruments(exchange, "BTC/USDT:USDT")]
    assert (instrument.symbol, instrument.status) == ("BTCUSDT", "trading")
    price = Decimal(50000)
    assert price % instrument.tick_size == 0

    order = await client.place_order(exchange, "BTCUSDT", "buy", "0.01", type="limit", price=price, post_only=True, comment="a test")
    assert (order.status, order.price, order.qty, order.comment) == ("open", price, Decimal("0.01"), "a test")
    assert order.created_at is not None and order.created_at.utcoffset() == timedelta(0)
    assert not order.is_final and not order.is_unknown

    amended = await client.amend_order(order.order_id, price=price + 1000, qty="0.02")
    assert (amended.price, amended.qty) == (price + 1000, Decimal("0.02"))
    assert amended.order_id in [o.order_id async for o in client.list_orders(exchange, page_size=1)]
    assert order.request_id is not None
    found = await client.find_order(order.request_id)
    assert found is not None and await client.find_order("none") is None
    cancelled = await client.cancel_order(amended.order_id)
    assert cancelled.status == "cancelled" and cancelled.is_final
    assert await client.get_order(amended.order_id) == cancelled


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_position(client: Client, exchange: str) -> None:
    change = await client.change_leverage(exchange, "SOLUSDT", 7)
    assert (change.symbol, change.leverage) == ("SOLUSDT", Decimal(7))
    order = await client.place_order(exchange, "SOLUSDT", "sell", 10, stop_loss="400")
    assert order.status == "filled" and order.protection is not None and order.protection.stop_loss is not None
    assert order.protection.stop_loss.price == Decimal(400)
    unprotected = await client.amend_order(order.order_id, stop_loss=None)
    assert unprotected.stop_loss is None
    [position] = (await client.list_positions(exchange, "SOLUSDT")).items
    assert (position.side, position.signed_qty, position.entry_price) == ("short", Decimal(-10), order.avg_price)
    accounts = await client.get_account(exchange)
    assert [a.currency for a in accounts.items] == ["USDT"] and not accounts.errors
    part = await client.close_position(exchange, "SOLUSDT", 4)
    rest = await client.close_position(exchange, "SOLUSDT", request_id=f"close-{exchange}")
    assert [part.filled_qty, rest.filled_qty] == [4, 6] and rest.request_id == f"close-{exchange}"
    assert not (await client.list_positions(exchange, "SOLUSDT")).items
    fills = [f async for f in client.list_fills(exchange, "SOLUSDT", order_id=order.order_id, page_size=1)]
    assert sum(f.qty for f in fills) == 10 and all(f.side == "sell" for f in fills)


async def test_venues(client: Client) -> None:
    venues = await client.list_venues()
    assert [(v.exchange, v.status, v.connected) for v in venues] == [(e, "up", True) for e in EXCHANGES]


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_tickers(client: Client, exchange: str) -> None:
    tickers = await client.list_tickers(exchange, "BTCUSDT")
    [ticker] = tickers.items
    assert (ticker.exchange, ticker.symbol, tickers.errors) == (exchange, "BTCUSDT", ())
    assert ticker.bid is not None and ticker.ask is not None and ticker.bid < ticker.ask


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_book(client: Client, exchange: str) -> None:
    book = await client.get_book(exchange, "BTCUSDT", 5)
    assert (book.channel, book.type) == (f"book:{exchange}:BTCUSDT:5", "snapshot")
    assert len(book.data.bids) == len(book.data.asks) == 5 and book.data.bids[0][0] < book.data.asks[0][0]


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_trades(client: Client, exchange: str) -> None:
    trades = await client.list_trades(exchange, "BTCUSDT", 3)
    assert 1 <= len(trades) <= 3 and all(t.price > 0 and t.side in ("buy", "sell") for t in trades)


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_candles(client: Client, exchange: str) -> None:
    candles = [c async for c in client.list_candles(exchange, "BTCUSDT", "1m", page_size=3)]
    assert 1 <= len(candles) <= 3 and candles == sorted(candles, key=lambda c: c.start)
    start, end = candles[0].start, candles[-1].end
    paged = [c async for c in client.list_candles(exchange, "BTCUSDT", "1m", from_=start, to=end, page_size=1)]
    assert [c.start for c in paged] == [c.start for c in candles]
    assert all(c.end - c.start == timedelta(minutes=1) for c in candles)


async def test_check_order(client: Client) -> None:
    check = await client.check_order("binance", "BTCUSDT", "buy", "0.01", type="limit", price=50000, request_id="check-1")
    assert check.ok and not check.faults and check.notional == 500
    assert check.order is not None and (check.order.price, check.order.request_id) == (Decimal(50000), "check-1")
    assert check.rules and all(rule.passed for rule in check.rules)
    wrong = await client.check_order("binance", "BTCUSDT", "buy", "0.01", type="limit", price="50000.001")
    assert not wrong.ok and [(f.field, f.rule) for f in wrong.faults] == [("price", "not_a_multiple_of_tick")]
    assert await client.find_order("check-1") is None


async def test_cancel_orders(client: Client) -> None:
    for price in (1000, 1001, 1002):
        await client.place_order("bybit", "ETHUSDT", "buy", 1, type="limit", price=price)
    results = await client.cancel_orders("bybit", "ETHUSDT")
    assert [r.result for r in results] == ["cancelled"] * 3
    assert [o async for o in client.list_orders("bybit", "ETHUSDT")] == []


async def test_pages_and_times(client: Client) -> None:
    all_at_once = [i async for i in client.list_instruments()]
    paged = [i async for i in client.list_instruments(page_size=4)]
    assert len(all_at_once) >= 24 and paged == all_at_once
    now = datetime.now(timezone.utc)
    assert [o async for o in client.list_orders(status="all", from_=now + timedelta(days=1))] == []
    with pytest.raises(ValueError, match="time zone"):
        client.list_orders(from_=datetime(2026, 1, 1))


async def test_signals_and_events(client: Client, service: Service) -> None:
    last = [e.id async for e in client.list_events()][-1:]
    hook, chart = service.demo["hook"], service.demo["chart"]
    signal = Signal("order", "binance", "LTCUSDT", "buy", "2", request_id="signal-1")
    first = await client.send_signal(hook["id"], hook["secret"], signal)
    again = await client.send_signal(hook["url"], hook["secret"], signal)
    assert (first.accepted, first.duplicate, first.status, again.duplicate) == (True, False, "filled", True)
    assert first.order_id == again.order_id
    from_channel = [o.order_id async for o in client.list_orders(status="all", channel_id=hook["id"])]
    assert first.order_id in from_channel
    from_webhooks = [o async for o in client.list_orders(status="all", source="webhook")]
    assert from_webhooks and {o.source for o in from_webhooks} == {"webhook"}
    closed = await client.send_chart_signal(chart["url"], chart["channelToken"], Signal("close", "binance", "LTCUSDT"))
    assert (closed.status, closed.filled_qty) == ("filled", Decimal(2))
    events = [e async for e in client.list_events(last[0] if last else None, page_size=1)]
    assert [e.data["orderId"] for e in events if e.type == "order.filled"] == [first.order_id, closed.order_id]


async def test_service(service: Service) -> None:
    async with Client(service.url) as client:
        assert abs(await client.get_time() - datetime.now(timezone.utc)) < timedelta(minutes=1)
        assert await client.get_health() == "ok"
        readiness = await client.get_readiness()
        assert readiness.ready and [v.exchange for v in readiness.venues] == EXCHANGES
        assert "openapi: 3" in await client.get_openapi()
        assert "asyncapi: 3" in await client.get_asyncapi()
        assert "<html" in await client.get_docs()


async def test_records_are_complete(client: Client, service: Service) -> None:
    """The service sends no member that the records lack, and none is left out."""
    await client.place_order("binance", "BTCUSDT", "buy", "0.01")
    headers = {"Authorization": f"Bearer {service.demo['apiKey']}"}
    async with httpx.AsyncClient(base_url=service.url, headers=headers) as raw:
        for path, record in RECORDS.items():
            sent = set((await raw.get(path)).json()["items"][0])
            fields = {re.sub("_(.)", lambda m: m[1].upper(), name) for name in record.__dataclass_fields__}
            if path == "/v1/positions":
                fields.discard("reason")  # sent with the end of a position alone
            assert sent == fields, f"{path}: {sorted(sent ^ fields)} differ"
    await client.close_position("binance", "BTCUSDT")


async def test_time_outs_of_the_caller(client: Client) -> None:
    """A call leaves the task of its caller as it was, so that asyncio.timeout works after it."""
    await client.get_time()
    task = asyncio.current_task()
    assert task is not None and task.cancelling() == 0
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await asyncio.sleep(10)


async def test_bad_arguments(client: Client) -> None:
    with pytest.raises(TypeError, match="0.1 is a float"):
        await client.place_order("binance", "BTCUSDT", "buy", 0.1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no orderId"):
        await client.cancel_order(".")
    with pytest.raises(ValueError, match="want http"):
        Client("127.0.0.1:8080")
    with pytest.raises(ValueError, match="api_key"):
        Client("http://127.0.0.1:8080", "vgk_\n")
