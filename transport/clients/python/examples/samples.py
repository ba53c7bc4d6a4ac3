"""Every operation once. The service's /docs shows each region as the sample of an operation.

    python samples.py data/demo.json
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from venuegate import Client, Signal


async def market(client: Client) -> None:
    # region listInstruments
    async for instrument in client.list_instruments("binance", "BTCUSDT"):
        print(instrument.symbol, instrument.tick_size, instrument.qty_step, instrument.min_qty)
    # endregion

    # region listVenues
    for venue in await client.list_venues():
        print(venue.exchange, venue.status)
    # endregion

    # region listTickers
    tickers = await client.list_tickers("okx")
    print([(ticker.symbol, ticker.last) for ticker in tickers.items])
    # endregion

    # region getBook
    book = await client.get_book("binance", "BTCUSDT", depth=5)
    print(book.data.bids[0], book.data.asks[0])
    # endregion

    # region listTrades
    for trade in await client.list_trades("binance", "BTCUSDT", limit=10):
        print(trade.ts, trade.side, trade.price, trade.qty)
    # endregion

    # region listCandles
    async for candle in client.list_candles("bybit", "ETHUSDT", "1h"):
        print(candle.start, candle.open, candle.high, candle.low, candle.close)
    # endregion


async def orders(client: Client) -> None:
    # region getAccount
    accounts = await client.get_account("binance")
    print([(account.currency, account.equity, account.available) for account in accounts.items])
    # endregion

    # region changeLeverage
    changed = await client.change_leverage("binance", "BTCUSDT", 5)
    print(changed.leverage)
    # endregion

    # region checkOrder
    check = await client.check_order("binance", "BTCUSDT", "buy", "0.01")
    print(check.ok, check.notional, check.faults, check.rules)
    # endregion

    # region placeOrder
    # The request_id is sent with each retry, so that the order is placed once.
    order = await client.place_order("binance", "BTCUSDT", "buy", "0.01", request_id="my-first-order")
    print(order.order_id, order.status, order.filled_qty, order.avg_price)
    # endregion

    # region findOrder
    found = await client.find_order("my-first-order")
    print(found.status if found else "not placed")
    # endregion

    # region listPositions
    positions = await client.list_positions()
    print([(p.exchange, p.symbol, p.side, p.qty, p.unrealized_pnl) for p in positions.items])
    # endregion

    # region closePosition
    closing = await client.close_position("binance", "BTCUSDT")
    print(closing.side, closing.filled_qty)
    # endregion

    order = await client.place_order("binance", "BTCUSDT", "buy", "0.01", type="limit", price=60000)

    # region getOrder
    order = await client.get_order(order.order_id)
    print(order.status, order.filled_qty)
    # endregion

    # region listOrders
    async for each in client.list_orders("binance", status="open"):
        print(each.order_id, each.symbol, each.price)
    # endregion

    # region amendOrder
    order = await client.amend_order(order.order_id, price=60100)
    print(order.order_id)  # It may be another one.
    # endregion

    # region cancelOrder
    order = await client.cancel_order(order.order_id)
    print(order.status)
    # endregion

    # region cancelOrders
    for result in await client.cancel_orders("binance", "BTCUSDT"):
        print(result)
    # endregion

    # region listFills
    async for fill in client.list_fills("binance"):
        print(fill.executed_at, fill.side, fill.price, fill.qty, fill.fee)
    # endregion

    # region listEvents
    async for event in client.list_events():
        print(event.id, event.type, event.data)
    # endregion


async def signals(client: Client, demo: dict[str, Any]) -> None:
    hook, secret = demo["hook"]["url"], demo["hook"]["secret"]
    # region sendSignal
    answer = await client.send_signal(hook, secret, Signal("order", "bybit", "ETHUSDT", side="buy", qty="0.1"))
    print(answer.status, answer.order_id)
    # endregion

    chart, token = demo["chart"]["url"], demo["chart"]["channelToken"]
    # region sendChartSignal
    answer = await client.send_chart_signal(chart, token, Signal("close", "bybit", "ETHUSDT.P"))
    print(answer.status, answer.order_id)
    # endregion


async def follow(client: Client) -> None:
    # region stream
    # It reconnects and subscribes again by itself.
    async with client.stream() as stream:
        book = await stream.book("binance", "BTCUSDT", 10)
        async for message in book:
            if message.type == "gap":
                continue  # The connection was lost; a snapshot follows.
            print(message.type, book.book.best_bid, book.book.best_ask)
            break
    # endregion


async def main(path: str) -> None:
    """Run all samples on the service that a demo.json describes."""
    demo = json.loads(Path(path).read_text())
    base_url, api_key = demo["baseUrl"], demo["apiKey"]
    # region client
    client = Client(base_url, api_key)  # from venuegate import Client
    # endregion
    async with client:
        await market(client)
        await orders(client)
        await signals(client, demo)
        await follow(client)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
