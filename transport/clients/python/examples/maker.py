"""A market maker with an inventory limit: a post-only quote on each side of the book.

    python maker.py data/demo.json binance BTCUSDT 30

It quotes the best prices for the given seconds, no side that would exceed the limit, and
moves its quotes with the book. At the end it cancels them, closes its position and prints
its own book: what it bought and sold, from the fills of its orders.
"""

from __future__ import annotations

import asyncio
import json
import sys
from decimal import Decimal

from venuegate import ApiError, Client, Order, OrderBook, OutcomeUnknown, Stream

QUOTE_NOTIONAL = 500  # Of one quote, in quote currency.
INVENTORY_QUOTES = 3  # How many quotes the position may be worth.
REQUOTE_SECONDS = 2.5  # At most 48 requests in a minute; a key may send 120.


class Maker:
    """The quotes and the own book of one instrument."""

    def __init__(self, client: Client, exchange: str, symbol: str) -> None:
        self._client, self._exchange, self._symbol = client, exchange, symbol
        self._quotes: dict[str, Order | None] = {"buy": None, "sell": None}
        self.filled: dict[str, tuple[str, Decimal]] = {}  # Side and filled quantity by order.

    @property
    def position(self) -> Decimal:
        """The own book: the signed quantity of all fills."""
        return sum((qty if side == "buy" else -qty for side, qty in self.filled.values()), Decimal(0))

    def observe(self, order: Order) -> None:
        """Take the state of an order, from an answer or from the stream, in any sequence."""
        known = self.filled.get(order.order_id, (order.side, Decimal(0)))[1]
        self.filled[order.order_id] = (order.side, max(known, order.filled_qty))
        quote = self._quotes[order.side]
        if quote is not None and quote.order_id == order.order_id:
            self._quotes[order.side] = None if order.is_final else order

    async def run(self, stream: Stream, seconds: float) -> None:
        """Quote for some seconds, then end flat."""
        [rules] = [i async for i in self._client.list_instruments(self._exchange, self._symbol)]
        book = (await stream.book(self._exchange, self._symbol, 5)).book
        following = asyncio.create_task(self._follow(stream))
        end = asyncio.get_running_loop().time() + seconds
        try:
            while asyncio.get_running_loop().time() < end and not following.done():
                qty = await self._size(book, rules.qty_step, rules.min_qty)
                for side in ("buy", "sell"):
                    await self._quote(side, book, qty)
                await asyncio.sleep(REQUOTE_SECONDS)
        finally:
            await self._flatten()
            following.cancel()
        print(f"{len(self.filled)} orders, position {self.position}")

    async def _follow(self, stream: Stream) -> None:
        async for message in await stream.orders():
            for order in message.items:
                if order.order_id in self.filled:
                    self.observe(order)

    async def _size(self, book: OrderBook, step: Decimal, least: Decimal) -> Decimal:
        while book.stale or book.best_bid is None or book.best_ask is None:
            await asyncio.sleep(0.05)
        return max(QUOTE_NOTIONAL / book.best_bid[0] // step * step, least)

    async def _quote(self, side: str, book: OrderBook, qty: Decimal) -> None:
        """Move the quote of a side to the best price, or withdraw it at the limit."""
        best = book.best_bid if side == "buy" else book.best_ask
        quote = self._quotes[side]
        inventory = self.position if side == "buy" else -self.position
        wanted = best is not None and not book.stale and inventory + qty <= INVENTORY_QUOTES * qty
        if quote is not None and (not wanted or best is None or quote.price != best[0]):
            await self._cancel(quote)
            quote = self._quotes[side]
        if wanted and best is not None and quote is None:
            try:
                self._keep(
                    await self._client.place_order(
                        self._exchange, self._symbol, side, qty, type="limit", price=best[0], post_only=True
                    )
                )
            except ApiError as error:
                print(f"no {side} quote: {error}")

    def _keep(self, order: Order) -> None:
        self._quotes[order.side] = order
        self.observe(order)

    async def _cancel(self, quote: Order) -> None:
        """Cancel a quote, and read it if it has ended or the outcome is not known."""
        try:
            self.observe(await self._client.cancel_order(quote.order_id))
        except (ApiError, OutcomeUnknown):
            self.observe(await self._client.get_order(quote.order_id))

    async def _flatten(self) -> None:
        for _ in range(10):
            for quote in list(filter(None, self._quotes.values())):
                await self._cancel(quote)
            if not any(self._quotes.values()):
                break
            await asyncio.sleep(0.5)
        for order_id in list(self.filled):  # The stream may be behind the answers.
            self.observe(await self._client.get_order(order_id))
        if self.position:
            self.observe(await self._client.close_position(self._exchange, self._symbol, abs(self.position)))


async def main(demo: str, exchange: str, symbol: str, seconds: str) -> None:
    """Run the maker on the service that a demo.json describes."""
    with open(demo) as file:
        described = json.load(file)
    async with Client(described["baseUrl"], described["apiKey"]) as client, client.stream() as stream:
        await Maker(client, exchange, symbol).run(stream, float(seconds))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
