"""An order book rebuilt from the snapshots and deltas of the stream."""

from __future__ import annotations

import bisect
from decimal import Decimal

from .records import BookChange, Level


class _Side:
    """The levels of one side, sorted best first."""

    def __init__(self, sign: int) -> None:
        self._sign = sign
        # The price, negated for bids, so that the best is always the first.
        self._keys: list[Decimal] = []
        self._qtys: dict[Decimal, Decimal] = {}

    def clear(self) -> None:
        self._keys.clear()
        self._qtys.clear()

    def set(self, price: Decimal, qty: Decimal) -> None:
        key = price * self._sign
        if not qty:
            if self._qtys.pop(key, None) is not None:
                del self._keys[bisect.bisect_left(self._keys, key)]
            return
        if key not in self._qtys:
            bisect.insort(self._keys, key)
        self._qtys[key] = qty

    def levels(self, depth: int | None) -> tuple[Level, ...]:
        return tuple((key * self._sign, self._qtys[key]) for key in self._keys[:depth])


class OrderBook:
    """The best levels of an order book. While stale is True, it must not be used.

    It is stale before its first snapshot, and from a gap or a lost connection to the next.
    """

    def __init__(self) -> None:
        self.stale = True
        self._bids, self._asks = _Side(-1), _Side(1)

    def bids(self, depth: int | None = None) -> tuple[Level, ...]:
        """Return price and quantity of the best depth bids, the highest first."""
        return self._bids.levels(depth)

    def asks(self, depth: int | None = None) -> tuple[Level, ...]:
        """Return price and quantity of the best depth asks, the lowest first."""
        return self._asks.levels(depth)

    @property
    def best_bid(self) -> Level | None:
        """The highest bid."""
        return next(iter(self.bids(1)), None)

    @property
    def best_ask(self) -> Level | None:
        """The lowest ask."""
        return next(iter(self.asks(1)), None)

    def set(self, levels: BookChange) -> None:
        """Replace the book by a snapshot; it is no longer stale."""
        self._bids.clear()
        self._asks.clear()
        self.change(levels)
        self.stale = False

    def change(self, levels: BookChange) -> None:
        """Apply a delta: each level replaces the quantity at its price, zero removes it."""
        for price, qty in levels.bids:
            self._bids.set(price, qty)
        for price, qty in levels.asks:
            self._asks.set(price, qty)
