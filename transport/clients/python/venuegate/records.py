"""The records of the interface: frozen dataclasses, decimals exact, times with their zone.

Names are those of the document in Python's spelling: filledQty is filled_qty. None means not
known or not applicable. Enumerations are text, so that values of a later version are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

Amount = Decimal | int | str
"""A decimal on input. A float is a TypeError, because it would not be exact."""

FINAL_STATUSES = frozenset({"filled", "cancelled", "rejected", "expired", "replaced"})
"""The statuses of an order that cannot change any more."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """An instrument with its trading rules; quantities are in base coin."""

    symbol: str
    exchange: str
    kind: str
    tick_size: Decimal
    min_qty: Decimal
    status: str
    qty_step: Decimal
    min_notional: Decimal | None
    max_qty: Decimal | None
    max_market_qty: Decimal | None
    contract_size: Decimal
    base_currency: str
    quote_currency: str
    settle_currency: str
    max_leverage: Decimal | None
    venue_symbol: str
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class Account:
    """The balance of one settlement currency at a venue."""

    exchange: str
    account_type: str
    equity: Decimal
    available: Decimal
    used_margin: Decimal
    unrealized_pnl: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Position:
    """An open position; qty is zero and reason set in the stream's last message about it."""

    exchange: str
    symbol: str
    side: str
    qty: Decimal
    entry_price: Decimal | None
    mark_price: Decimal | None
    liquidation_price: Decimal | None
    unrealized_pnl: Decimal | None
    leverage: Decimal | None
    account_type: str | None
    margin_mode: str | None
    stop_loss: Decimal | None
    take_profit: Decimal | None
    opened_at: datetime | None
    updated_at: datetime | None
    reason: str | None = None

    @property
    def signed_qty(self) -> Decimal:
        """The quantity, negative for a short position."""
        return -self.qty if self.side == "short" else self.qty


@dataclass(frozen=True, slots=True)
class VenueFailure:
    """A venue that did not respond, beside the records of those that did."""

    exchange: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Accounts:
    """The balances of the venues that responded, and the venues that did not."""

    items: tuple[Account, ...]
    errors: tuple[VenueFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class Positions:
    """The open positions of the venues that responded, and the venues that did not."""

    items: tuple[Position, ...]
    errors: tuple[VenueFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class LeverageChange:
    """The leverage of an instrument, read back from the venue."""

    exchange: str
    symbol: str
    leverage: Decimal
    previous_leverage: Decimal | None


@dataclass(frozen=True, slots=True)
class ProtectionLeg:
    """A stop loss or a take profit of an order."""

    status: str
    price: Decimal
    order_id: str | None


@dataclass(frozen=True, slots=True)
class Protection:
    """The state of the stop loss and the take profit of an order."""

    stop_loss: ProtectionLeg | None
    take_profit: ProtectionLeg | None


@dataclass(frozen=True, slots=True)
class OrderEnd:
    """Why an order ended, where there is a reason."""

    code: str
    message: str
    reason: str | None
    venue_code: str | None
    venue_message: str | None


@dataclass(frozen=True, slots=True)
class Order:
    """An order in its current state.

    One with source protection is the stop_loss or take_profit (protects) of entry_order_id.
    """

    order_id: str
    request_id: str | None
    exchange: str
    symbol: str
    side: str
    type: str
    status: str
    pending_action: str | None
    qty: Decimal
    filled_qty: Decimal
    remaining_qty: Decimal
    price: Decimal | None
    trigger_price: Decimal | None
    avg_price: Decimal | None
    stop_loss: Decimal | None
    take_profit: Decimal | None
    protection: Protection | None
    reduce_only: bool
    post_only: bool
    time_in_force: str | None
    fee: Decimal | None
    fee_currency: str | None
    source: str
    channel_id: str | None
    comment: str | None
    venue_order_id: str | None
    replaces: str | None
    replaced_by: str | None
    error: OrderEnd | None
    created_at: datetime | None
    updated_at: datetime | None
    entry_order_id: str | None = None
    protects: str | None = None

    @property
    def is_final(self) -> bool:
        """Whether the order can no longer change."""
        return self.status in FINAL_STATUSES

    @property
    def is_unknown(self) -> bool:
        """Whether the venue has not confirmed yet what became of the order."""
        return self.status in ("pending", "unknown")


@dataclass(frozen=True, slots=True)
class CheckedOrder:
    """An order as it would be placed."""

    exchange: str
    symbol: str
    side: str
    type: str
    qty: Decimal
    price: Decimal | None
    trigger_price: Decimal | None
    stop_loss: Decimal | None
    take_profit: Decimal | None
    reduce_only: bool
    post_only: bool
    time_in_force: str
    request_id: str | None
    comment: str | None


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A field that breaks a rule, with the value that was sent and what would be accepted."""

    field: str
    rule: str
    given: str | None = None
    allowed: str | None = None


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A rule that applies to an order, and whether the order passes it."""

    rule: str
    limit: str | None
    given: str | None
    passed: bool


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """The checks of an order; order is None while a field of the request itself is wrong."""

    ok: bool
    order: CheckedOrder | None
    notional: Decimal | None
    margin: Decimal | None
    available: Decimal | None
    faults: tuple[FieldFault, ...]
    rules: tuple[OrderRule, ...]


@dataclass(frozen=True, slots=True)
class CancelError:
    """Why an order was not cancelled."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class CancelResult:
    """What cancel_orders did with one order: cancelled, not_found, failed or unknown."""

    order_id: str
    exchange: str
    symbol: str
    result: str
    error: CancelError | None = None


@dataclass(frozen=True, slots=True)
class CancelResults:
    """What cancel_orders did with each order."""

    items: tuple[CancelResult, ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """One execution of an order; a negative fee is a rebate."""

    fill_id: str
    order_id: str | None
    request_id: str | None
    exchange: str
    symbol: str
    side: str
    qty: Decimal
    price: Decimal
    fee: Decimal | None
    fee_currency: str | None
    liquidity: str | None
    realized_pnl: Decimal | None
    source: str
    venue_trade_id: str
    executed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it is posted to endpoints; data is its payload, decimals as text."""

    id: str
    type: str
    created_at: datetime
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal to a channel; action is order, close, cancel-all or notify."""

    action: str
    exchange: str | None = None
    symbol: str | None = None
    side: str | None = None
    qty: Amount | None = None
    order_type: str | None = None
    price: Amount | None = None
    stop_loss: Amount | None = None
    take_profit: Amount | None = None
    comment: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class SignalAnswer:
    """What became of a signal so far."""

    accepted: bool
    duplicate: bool
    request_id: str
    order_id: str | None
    status: str
    filled_qty: Decimal
    avg_price: Decimal | None


@dataclass(frozen=True, slots=True)
class StoreReadiness:
    """Whether the store takes commits, and why not."""

    ready: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class StreamCounts:
    """Connections to a venue: those wanted, and those connected."""

    wanted: int
    connected: int


@dataclass(frozen=True, slots=True)
class VenueReadiness:
    """Whether a venue is up, degraded or down."""

    exchange: str
    status: str
    reason: str | None
    since: datetime
    streams: StreamCounts
    private: StreamCounts


@dataclass(frozen=True, slots=True)
class CustomerCounts:
    """Customers whose accounts are not ready."""

    loading: int
    halted: int


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether trading is possible on at least one venue, and what is not."""

    ready: bool
    store: StoreReadiness
    venues: tuple[VenueReadiness, ...]
    customers: CustomerCounts


@dataclass(frozen=True, slots=True)
class Trade:
    """A public trade; side is the taker's."""

    id: str
    price: Decimal
    qty: Decimal
    side: str
    ts: datetime | None


@dataclass(frozen=True, slots=True)
class Candle:
    """A candle: start inclusive, end exclusive, volume in base coin, turnover in quote currency."""

    start: datetime
    end: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    turnover: Decimal
    closed: bool


Level = tuple[Decimal, Decimal]
"""Price and quantity."""


@dataclass(frozen=True, slots=True)
class BookChange:
    """Levels of an order book, best first: all of a snapshot, the changed ones of a delta."""

    bids: tuple[Level, ...]
    asks: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """The best levels of an order book, as the snapshot of the stream's channel with that seq."""

    channel: str
    type: str
    seq: int
    ts: datetime
    venue_ts: datetime | None
    data: BookChange


@dataclass(frozen=True, slots=True)
class Venue:
    """A venue and its state; connected is whether the customer has an account there."""

    exchange: str
    status: str
    reason: str | None
    since: datetime
    clock_offset_ms: int | None
    order_entry: str
    environment: str
    connected: bool


@dataclass(frozen=True, slots=True)
class Ticker:
    """The newest prices of an instrument and its figures of 24 hours; volume24h is in base coin."""

    exchange: str
    symbol: str
    last: Decimal | None
    bid: Decimal | None
    bid_qty: Decimal | None
    ask: Decimal | None
    ask_qty: Decimal | None
    mark: Decimal | None
    index: Decimal | None
    funding_rate: Decimal | None
    next_funding_at: datetime | None
    high24h: Decimal | None
    low24h: Decimal | None
    volume24h: Decimal | None
    turnover24h: Decimal | None
    ts: datetime | None


@dataclass(frozen=True, slots=True)
class Tickers:
    """The tickers of the venues that responded, and the venues that did not."""

    items: tuple[Ticker, ...]
    errors: tuple[VenueFailure, ...] = ()
