"""A signal follower: long while a fast average of the trades is above a slow one, else short.

    python follower.py data/demo.json okx ETHUSDT 60

Each crossing is a signal, and an order to the position that it calls for, with a stop loss. A
signal has one requestId, so that it is carried out once even if this program repeats it. At
the end it closes its position and prints its own book.
"""

from __future__ import annotations

import asyncio
import json
import sys
from decimal import Decimal

from venuegate import Client, Order, OutcomeUnknown, RateLimited, Refused, Stream

FAST, SLOW = Decimal("0.2"), Decimal("0.02")  # Weights of the newest trade.
BAND = Decimal("0.0002")  # How far the averages must be apart, relative to the price.
STOP = Decimal("0.02")  # Distance of the stop loss, relative to the price.
POSITION_NOTIONAL = 1000  # In quote currency.
SIGNAL_SECONDS = 1.0  # The least time between two signals.


class Follower:
    """The averages and the own book of one instrument."""

    def __init__(self, client: Client, exchange: str, symbol: str) -> None:
        self._client, self._exchange, self._symbol = client, exchange, symbol
        self._fast = self._slow = Decimal(0)
        self._signals = 0
        self.orders: dict[str, Order] = {}

    @property
    def position(self) -> Decimal:
        """The own book: the signed quantity of all fills."""
        return sum((o.filled_qty if o.side == "buy" else -o.filled_qty for o in self.orders.values()), Decimal(0))

    async def run(self, stream: Stream, seconds: float) -> None:
        """Follow the signals for some seconds, then end flat."""
        [rules] = [i async for i in self._client.list_instruments(self._exchange, self._symbol)]
        trades = await stream.trades(self._exchange, self._symbol)
        quiet_until = 0.0
        try:
            async with asyncio.timeout(seconds):
                async for message in trades:
                    for trade in message.items:
                        self._average(trade.price)
                    wanted = self._signal()
                    now = asyncio.get_running_loop().time()
                    if wanted and now >= quiet_until and wanted * self.position <= 0:
                        qty = max(POSITION_NOTIONAL / self._slow // rules.qty_step * rules.qty_step, rules.min_qty)
                        # Not to be cancelled by the time-out: an order has an outcome to wait for.
                        await asyncio.shield(self._turn(wanted, qty, rules.tick_size))
                        quiet_until = now + SIGNAL_SECONDS
        except TimeoutError:
            pass
        finally:
            await self._flatten()
        print(f"{self._signals} signals, {len(self.orders)} orders, position {self.position}")

    def _average(self, price: Decimal) -> None:
        if not self._slow:
            self._fast = self._slow = price
        self._fast += (price - self._fast) * FAST
        self._slow += (price - self._slow) * SLOW

    def _signal(self) -> int:
        """Return 1 for long, -1 for short, 0 for neither."""
        difference = self._fast - self._slow
        if abs(difference) < BAND * self._slow:
            return 0
        return 1 if difference > 0 else -1

    async def _turn(self, direction: int, qty: Decimal, tick: Decimal) -> None:
        """Close an opposite position and open one in the direction of the signal."""
        self._signals += 1
        await self._flatten()
        stop = self._fast * (1 - STOP * direction) // tick * tick
        await self._place("buy" if direction > 0 else "sell", qty, stop)

    async def _place(self, side: str, qty: Decimal, stop: Decimal) -> None:
        key: str | None = None
        while True:
            try:
                order = await self._client.place_order(
                    self._exchange, self._symbol, side, qty, stop_loss=stop, request_id=key
                )
            except OutcomeUnknown as unknown:
                key = unknown.request_id  # The same order, whether or not it was placed.
            except (Refused, RateLimited) as error:
                return print(f"no order: {error}")
            else:
                return await self._settle(order)

    async def _settle(self, order: Order) -> None:
        """Wait until the outcome of an order is known, and enter it into the book."""
        while not order.is_final:
            await asyncio.sleep(0.1)
            order = await self._client.get_order(order.order_id)
        self.orders[order.order_id] = order

    async def _flatten(self) -> None:
        if self.position:
            await self._settle(await self._client.close_position(self._exchange, self._symbol, abs(self.position)))


async def main(demo: str, exchange: str, symbol: str, seconds: str) -> None:
    """Run the follower on the service that a demo.json describes."""
    with open(demo) as file:
        described = json.load(file)
    async with Client(described["baseUrl"], described["apiKey"]) as client, client.stream() as stream:
        await Follower(client, exchange, symbol).run(stream, float(seconds))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
