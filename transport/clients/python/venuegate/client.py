"""The REST interface: a method for each operation of the document."""

from __future__ import annotations

import enum
import json
import re
import uuid
from collections.abc import AsyncIterator, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote

from .decode import camel, decode
from .errors import DuplicateRequest, MalformedAnswer, OutcomeUnknown
from .http import Effect, Http, Limits, Request
from .records import (
    Accounts,
    Book,
    CancelResult,
    CancelResults,
    Candle,
    Event,
    Fill,
    Instrument,
    LeverageChange,
    Order,
    OrderCheck,
    Positions,
    Amount,
    Readiness,
    Signal,
    SignalAnswer,
    Tickers,
    Trade,
    Venue,
)
from .signing import HEADER_PREFIX, sign_hook
from .stream import Stream, StreamLimits

T = TypeVar("T")

Time = datetime | date | str
"""A time on input: with its zone, or a date (its start in UTC), or RFC 3339."""


class Keep(enum.Enum):
    """The value of a field of amend_order that is left as it is."""

    KEEP = "keep"


KEEP = Keep.KEEP

_ORDER_ID = re.compile("[A-Za-z0-9_]{1,64}")


class Client:
    """A client of one service.

    base_url is the address of the service without /v1, api_key a key of it; without a key
    only the operations of the service (time, readiness, documents) and signals are possible.
    Use it in `async with`, or call close at the end. One client is enough for a program.

    Every method raises ApiError for an error that the service answers, ConnectionFailed if it
    cannot be reached and OutcomeUnknown if a change may or may not have been carried out.
    """

    def __init__(self, base_url: str, api_key: str | None = None, *, limits: Limits = Limits()) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url {base_url!r}, want http:// or https://")
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ValueError("api_key has characters that no key has")
        self._url = base_url.rstrip("/")
        self._key = api_key
        self._http = Http(self._url, api_key, limits)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections of REST. Streams are closed on their own."""
        await self._http.close()

    def stream(self, *, limits: StreamLimits = StreamLimits()) -> Stream:
        """Return a stream with the key of this client, to be used in `async with`."""
        if self._key is None:
            raise ValueError("the stream requires an api_key")
        return Stream("ws" + self._url.removeprefix("http") + "/v1/stream", self._key, limits=limits)

    # Market and account.

    def list_instruments(
        self,
        exchange: str | None = None,
        symbol: str | None = None,
        *,
        kind: str | None = None,
        status: str | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[Instrument]:
        """Yield instruments with their trading rules, by exchange and symbol."""
        query = {"exchange": exchange, "symbol": symbol, "kind": kind, "status": status, "limit": page_size}
        return self._list("/v1/instruments", Instrument, query)

    async def list_venues(self) -> tuple[Venue, ...]:
        """Return the venues that the service is configured for, with their state."""
        return decode(tuple[Venue, ...], (await self._get("/v1/venues")).get("items"))

    async def list_tickers(self, exchange: str | None = None, symbol: str | None = None) -> Tickers:
        """Return newest prices and figures of 24 hours; venues that do not respond are in errors."""
        return decode(Tickers, await self._get("/v1/tickers", {"exchange": exchange, "symbol": symbol}))

    async def get_book(self, exchange: str, symbol: str, depth: int = 20) -> Book:
        """Return the best levels of an order book; depth is 1, 5, 10, 20, 50, 100 or 200.

        ExchangeUnavailable with details["reason"] "stale" while messages of the venue may be
        missing. To follow a book, use Stream.book.
        """
        return decode(Book, await self._get("/v1/book", {"exchange": exchange, "symbol": symbol, "depth": depth}))

    async def list_trades(self, exchange: str, symbol: str, limit: int = 100) -> tuple[Trade, ...]:
        """Return at most limit public trades, newest first."""
        answer = await self._get("/v1/trades", {"exchange": exchange, "symbol": symbol, "limit": limit})
        return decode(tuple[Trade, ...], answer.get("items"))

    def list_candles(
        self,
        exchange: str,
        symbol: str,
        timeframe: str,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[Candle]:
        """Yield candles, oldest first; without from_ only one page, of the newest before to."""
        query = {
            "exchange": exchange,
            "symbol": symbol,
            "timeframe": timeframe,
            "from": _time(from_),
            "to": _time(to),
            "limit": page_size,
        }
        return self._list("/v1/candles", Candle, query)

    async def get_account(self, exchange: str | None = None, currency: str | None = None) -> Accounts:
        """Return the balances of the connected venues, in USDT unless currency is given.

        Venues that do not respond are in errors; if none responds, ExchangeUnavailable.
        """
        return decode(Accounts, await self._get("/v1/account", {"exchange": exchange, "currency": currency}))

    async def list_positions(self, exchange: str | None = None, symbol: str | None = None) -> Positions:
        """Return the open positions; venues that do not respond are in errors."""
        return decode(Positions, await self._get("/v1/positions", {"exchange": exchange, "symbol": symbol}))

    async def change_leverage(self, exchange: str, symbol: str, leverage: Amount) -> LeverageChange:
        """Change the leverage of an instrument and return it as read back from the venue."""
        body = {"exchange": exchange, "symbol": symbol, "leverage": _amount(leverage)}
        request = Request("POST", "/v1/positions/leverage", Effect.CHANGE, "a change of leverage", body=_json(body))
        return await self._change(LeverageChange, request)

    async def close_position(
        self, exchange: str, symbol: str, qty: Amount | None = None, *, request_id: str | None = None
    ) -> Order:
        """Close a position, or qty of it, and return the closing order; as place_order.

        OrderRejected with details["reason"] "no_position" if there is none.
        """
        body = {"exchange": exchange, "symbol": symbol, "qty": _amount(qty)}
        return await self._place("/v1/positions/close", body, "a close", request_id)

    # Orders.

    async def place_order(
        self,
        exchange: str,
        symbol: str,
        side: str,
        qty: Amount,
        *,
        type: str = "market",
        price: Amount | None = None,
        trigger_price: Amount | None = None,
        stop_loss: Amount | None = None,
        take_profit: Amount | None = None,
        reduce_only: bool = False,
        post_only: bool = False,
        time_in_force: str | None = None,
        comment: str | None = None,
        request_id: str | None = None,
    ) -> Order:
        """Place an order and return its record; qty is in base coin.

        The requestId is request_id, or made once per call and kept over its retries, so that
        the order is sent at most once. Pass your own to be able to repeat the call later: a
        repeat with the same fields returns the first order, one with others is
        DuplicateRequest. An order whose is_unknown is True was accepted by the service, which
        follows it: read it again with get_order or on the stream. OutcomeUnknown if the
        service did not answer: repeat with its request_id, or use find_order.
        """
        amounts = _amounts(qty=qty, price=price, trigger_price=trigger_price, stop_loss=stop_loss, take_profit=take_profit)
        flags = {"reduceOnly": reduce_only, "postOnly": post_only, "timeInForce": time_in_force, "comment": comment}
        body = {"exchange": exchange, "symbol": symbol, "side": side, "type": type} | amounts | flags
        return await self._place("/v1/orders", body, "an order", request_id)

    async def check_order(
        self,
        exchange: str,
        symbol: str,
        side: str,
        qty: Amount,
        *,
        type: str = "market",
        price: Amount | None = None,
        trigger_price: Amount | None = None,
        stop_loss: Amount | None = None,
        take_profit: Amount | None = None,
        reduce_only: bool = False,
        post_only: bool = False,
        time_in_force: str | None = None,
        comment: str | None = None,
        request_id: str | None = None,
    ) -> OrderCheck:
        """Return what place_order would be answered, with all faults and rules; nothing is placed."""
        amounts = _amounts(qty=qty, price=price, trigger_price=trigger_price, stop_loss=stop_loss, take_profit=take_profit)
        flags = {"reduceOnly": reduce_only, "postOnly": post_only, "timeInForce": time_in_force, "comment": comment}
        body = {"exchange": exchange, "symbol": symbol, "side": side, "type": type} | amounts | flags
        data = _json({**body, "requestId": request_id})
        answer = await self._http.send(Request("POST", "/v1/orders/check", body=data))
        return decode(OrderCheck, answer.json())

    def list_orders(
        self,
        exchange: str | None = None,
        symbol: str | None = None,
        *,
        status: str = "open",
        request_id: str | None = None,
        source: str | None = None,
        channel_id: str | None = None,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[Order]:
        """Yield orders, newest first; status is open, closed or all."""
        query = {
            "exchange": exchange,
            "symbol": symbol,
            "status": status,
            "requestId": request_id,
            "source": source,
            "channelId": channel_id,
            "from": _time(from_),
            "to": _time(to),
            "limit": page_size,
        }
        return self._list("/v1/orders", Order, query)

    async def find_order(self, request_id: str) -> Order | None:
        """Return the newest order with this requestId, None if the service has none."""
        async for order in self.list_orders(status="all", request_id=request_id):
            return order
        return None

    async def get_order(self, order_id: str) -> Order:
        """Return one order in its current state."""
        return decode(Order, await self._get(_order_path(order_id)))

    async def amend_order(
        self,
        order_id: str,
        *,
        price: Amount | None = None,
        qty: Amount | None = None,
        trigger_price: Amount | None = None,
        stop_loss: Amount | Keep | None = KEEP,
        take_profit: Amount | Keep | None = KEEP,
    ) -> Order:
        """Change an order; qty is the new total, a stop_loss or take_profit of None removes it.

        The returned record may have another order_id, with the old one in replaces: use the
        new one from then on. OutcomeUnknown if the service did not answer: read the order.
        """
        values = {"price": _amount(price), "qty": _amount(qty), "triggerPrice": _amount(trigger_price)}
        body: dict[str, str | None] = {name: value for name, value in values.items() if value is not None}
        # A null removes the protection.
        legs = {"stopLoss": stop_loss, "takeProfit": take_profit}
        body |= {name: _amount(value) for name, value in legs.items() if not isinstance(value, Keep)}
        data = json.dumps(body).encode()
        return await self._change(Order, Request("PATCH", _order_path(order_id), Effect.CHANGE, "an amend", body=data))

    async def cancel_order(self, order_id: str) -> Order:
        """Cancel an order and return it.

        NotFound means that it was no longer open, with the final status in details["status"]:
        "cancelled" after a retry of this call, whose first attempt was not answered.
        """
        return await self._change(Order, Request("DELETE", _order_path(order_id), Effect.CANCEL, "a cancel"))

    async def cancel_orders(self, exchange: str | None = None, symbol: str | None = None) -> tuple[CancelResult, ...]:
        """Cancel all orders that match both filters; without filters ALL orders of the customer.

        Stop losses and take profits of open positions are orders too.
        """
        query = _query({"exchange": exchange, "symbol": symbol})
        return (await self._change(CancelResults, Request("DELETE", "/v1/orders", Effect.CHANGE, "a cancel", query=query))).items

    def list_fills(
        self,
        exchange: str | None = None,
        symbol: str | None = None,
        *,
        order_id: str | None = None,
        from_: Time | None = None,
        to: Time | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[Fill]:
        """Yield fills of at most 31 days (by default the last), newest first."""
        query = {
            "exchange": exchange,
            "symbol": symbol,
            "orderId": order_id,
            "from": _time(from_),
            "to": _time(to),
            "limit": page_size,
        }
        return self._list("/v1/fills", Fill, query)

    # Events and signals.

    def list_events(self, after: str | None = None, *, page_size: int | None = None) -> AsyncIterator[Event]:
        """Yield the events of the last 30 days after the event with the id after, oldest first."""
        return self._list("/v1/events", Event, {"after": after, "limit": page_size})

    async def send_signal(self, hook: str, secret: str, signal: Signal, *, prefix: str = HEADER_PREFIX) -> SignalAnswer:
        """Send a signed signal to a channel; hook is its id or its address.

        The requestId is the signal's, or made once per call and kept over its retries: a
        repeat is one signal, and its answer is duplicate. No API key is sent.
        """
        key = signal.request_id or _new_request_id()
        body = _signal_body(signal, key)
        headers = sign_hook(secret, body, prefix=prefix)
        return await self._signal(_address(hook, "/v1/hooks/in/"), key, body, headers)

    async def send_chart_signal(
        self, chart: str, channel_token: str, signal: Signal, *, time: str | None = None
    ) -> SignalAnswer:
        """Send a signal as a charting platform does; chart is the secret address or its last part."""
        key = signal.request_id or _new_request_id()
        body = _signal_body(signal, key, channelToken=channel_token, time=time)
        return await self._signal(_address(chart, "/v1/hooks/chart/"), key, body, {})

    # The service.

    async def get_time(self) -> datetime:
        """Return the clock of the service."""
        answer = await self._get("/v1/time")
        return decode(datetime, answer.get("serverTime"))

    async def get_health(self) -> str:
        """Return "ok" if the process is running."""
        return str((await self._get("/healthz")).get("status"))

    async def get_readiness(self) -> Readiness:
        """Return whether trading is possible, and what is not ready; no exception if it is not."""
        answer = await self._http.send(Request("GET", "/readyz", answers=(200, 503), with_key=False))
        return decode(Readiness, answer.json())

    async def get_openapi(self) -> str:
        """Return the document of REST, in YAML."""
        return await self._text("/openapi.yaml")

    async def get_asyncapi(self) -> str:
        """Return the document of the stream, in YAML."""
        return await self._text("/asyncapi.yaml")

    async def get_docs(self) -> str:
        """Return the first page of the documentation as HTML."""
        return await self._text("/docs")

    async def _get(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer = (await self._http.send(Request("GET", path, query=_query(query or {})))).json()
        if not isinstance(answer, dict):
            raise MalformedAnswer(f"the answer to {path} is no object")
        return answer

    async def _text(self, path: str) -> str:
        return (await self._http.send(Request("GET", path, with_key=False))).body.decode()

    async def _list(self, path: str, record: type[T], query: Mapping[str, Any]) -> AsyncIterator[T]:
        cursor: str | None = None
        while True:
            page = await self._get(path, {**query, "cursor": cursor})
            for item in decode(tuple[record, ...], page.get("items")):  # type: ignore[valid-type]
                yield item
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    async def _change(self, record: type[T], request: Request) -> T:
        """Send a request that changes something and return the record of its answer."""
        answer = await self._http.send(request)
        try:
            return decode(record, answer.json())
        except MalformedAnswer as error:
            raise OutcomeUnknown(request.action, request.request_id) from error

    async def _place(self, path: str, body: Mapping[str, Any], action: str, request_id: str | None) -> Order:
        key = request_id or _new_request_id()
        request = Request("POST", path, Effect.KEYED, action, key, body=_json({**body, "requestId": key}))
        try:
            return await self._change(Order, request)
        except DuplicateRequest as error:
            # The first arrival of the same request was handled: its order is the result.
            if error.details.get("sameBody") is True and error.order is not None:
                return error.order
            raise

    async def _signal(self, path: str, key: str, body: bytes, headers: Mapping[str, str]) -> SignalAnswer:
        request = Request("POST", path, Effect.KEYED, "a signal", key, body=body, headers=headers, with_key=False)
        return await self._change(SignalAnswer, request)


def _signal_body(signal: Signal, key: str, **others: str | None) -> bytes:
    body = {
        "action": signal.action,
        "exchange": signal.exchange,
        "symbol": signal.symbol,
        "side": signal.side,
        "qty": _amount(signal.qty),
        "orderType": signal.order_type,
        "price": _amount(signal.price),
        "stopLoss": _amount(signal.stop_loss),
        "takeProfit": _amount(signal.take_profit),
        "comment": signal.comment,
        "requestId": key,
    }
    return _json(body | others)


def _address(target: str, folder: str) -> str:
    return target if target.startswith(("http://", "https://")) else folder + quote(target, safe="")


def _new_request_id() -> str:
    return "py-" + uuid.uuid4().hex


def _order_path(order_id: str) -> str:
    # An id such as "." would be another path, that of all orders.
    if not _ORDER_ID.fullmatch(order_id):
        raise ValueError(f"{order_id!r} is no orderId")
    return "/v1/orders/" + order_id


def _json(body: Mapping[str, Any]) -> bytes:
    """Return a body; members that are None are left out, which means the same."""
    members = {name: value for name, value in body.items() if value is not None}
    return json.dumps(members, separators=(",", ":")).encode()


def _query(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _amounts(**values: Amount | None) -> dict[str, Any]:
    """Return the members of a body for decimals, by their names in Python's spelling."""
    return {camel(name): _amount(value) for name, value in values.items()}


def _amount(value: Amount | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}, want Decimal, int or str")


def _time(value: Time | None) -> str | None:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value
