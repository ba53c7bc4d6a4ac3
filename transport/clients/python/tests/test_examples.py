"""The example bots trade for some seconds: flat at the end, the venue's ledger equal to their own books."""

from __future__ import annotations

import asyncio
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

import samples
from follower import Follower
from harness import Service
from maker import Maker, main
from venuegate import Client

SECONDS = 15.0
INVENTORY_QUOTES = 2


async def check_flat(client: Client, service: Service, exchange: str, symbol: str, known: int) -> None:
    assert not (await client.list_positions(exchange, symbol)).items
    assert [o async for o in client.list_orders(exchange, symbol)] == []
    assert service.venues.net(exchange, known) == 0


async def test_maker(client: Client, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    # Quick enough to reach its limit again and again.
    monkeypatch.setattr("maker.INVENTORY_QUOTES", INVENTORY_QUOTES)
    monkeypatch.setattr("maker.REQUOTE_SECONDS", 0.8)
    known = len(service.venues.orders("bybit"))
    maker = Maker(client, "bybit", "BTCUSDT")
    positions: list[Decimal] = []

    async def move_the_market() -> None:
        """Others sell and buy at the best prices, so that quotes are filled on both sides."""
        for turn in range(int(SECONDS)):
            trade = {"symbol": "BTCUSDT", "side": "sell" if turn < SECONDS / 2 else "buy", "qty": "3"}
            service.venues.control("bybit", "/market/trade", trade)
            await asyncio.sleep(1)
            positions.append(maker.position)

    async with client.stream() as stream:
        async with asyncio.TaskGroup() as group:
            group.create_task(maker.run(stream, SECONDS))
            group.create_task(move_the_market())
    await check_flat(client, service, "bybit", "BTCUSDT", known)
    assert maker.position == 0 and any(positions), f"positions {positions}, want some besides zero"
    placed = service.venues.orders("bybit")[known:]
    assert len(placed) == len(maker.filled)
    quote = max(Decimal(o["qty"]) for o in placed if o["type"] == "limit")
    assert max(abs(p) for p in positions) <= INVENTORY_QUOTES * quote
    for order_id, (_, qty) in maker.filled.items():
        [entry] = service.venues.ledger("bybit", order_id)
        assert Decimal(entry["filledQty"]) == qty, f"{order_id}: ledger and own book"


async def test_follower(client: Client, service: Service) -> None:
    known = len(service.venues.orders("okx"))
    follower = Follower(client, "okx", "ETHUSDT")

    async def move_the_market() -> None:
        """The price rises, falls and rises again."""
        for turn, price in enumerate(["3210", "3220", "3230", "3200", "3180", "3170", "3200", "3220"]):
            service.venues.control("okx", "/market", {"symbol": "ETHUSDT", "price": price})
            for _ in range(4):
                service.venues.control("okx", "/market/trade", {"symbol": "ETHUSDT", "side": "buy", "qty": "0.1"})
                await asyncio.sleep(SECONDS / 40)

    async with client.stream() as stream:
        async with asyncio.TaskGroup() as group:
            group.create_task(follower.run(stream, SECONDS))
            group.create_task(move_the_market())
    await check_flat(client, service, "okx", "ETHUSDT", known)
    sides = [o.side for o in follower.orders.values()]
    assert follower.position == 0 and {"buy", "sell"} == set(sides) and len(sides) >= 4, f"orders {sides}"
    for order in follower.orders.values():
        [entry] = service.venues.ledger("okx", order.order_id)
        assert Decimal(entry["baseQty"]) == order.filled_qty, f"{order.order_id}: ledger and own book"


async def test_started_by_hand(service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(tmp_path, "demo.json").write_text(json.dumps(service.demo))
    await main(str(tmp_path / "demo.json"), "okx", "SOLUSDT", "1")
    printed = capsys.readouterr().out
    assert re.fullmatch(r"\d+ orders, position 0(\.0+)?\n", printed), printed


async def test_samples(service: Service, tmp_path: Path) -> None:
    Path(tmp_path, "demo.json").write_text(json.dumps(service.demo | {"apiKey": service.new_key()}))
    await samples.main(str(tmp_path / "demo.json"))
