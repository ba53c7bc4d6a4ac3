"""Every error code, and requests whose answers are lost: no order is sent twice."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal

import pytest

import venuegate
from harness import Act, Forward, Proxy, Service, error, instead, lose_answer, lose_request
from conftest import FAST
from venuegate import Client, Limits, Signal

ONCE = Limits(retries=0)


def account(service: Service, exchange: str) -> str:
    return f"accounts/{service.customer}:{exchange}"


async def test_invalid_request(client: Client) -> None:
    with pytest.raises(venuegate.InvalidRequest) as raised:
        await client.place_order("okx", "BTCUSDT", "buy", "0.00015")
    assert (raised.value.status, raised.value.code) == (400, "invalid_request")
    assert raised.value.details["fields"][0]["rule"] == "not_a_multiple_of_step"
    assert raised.value.request_id.startswith("req_")
    assert raised.value.doc_url == "/docs/errors#invalid_request"


async def test_unauthorized_and_revoked(service: Service) -> None:
    key = service.new_key()
    async with Client(service.url, key) as client:
        assert await client.find_order("none") is None
        service.revoke(key)
        with pytest.raises(venuegate.Unauthorized):
            await client.find_order("none")
    async with Client(service.url) as client:
        with pytest.raises(venuegate.Unauthorized):
            await client.get_account()


async def test_bad_signature(client: Client, service: Service) -> None:
    with pytest.raises(venuegate.BadSignature) as raised:
        await client.send_signal(service.demo["hook"]["id"], "whsec_wrong", Signal("notify", comment="hello"))
    assert raised.value.details["reason"] == "signature_mismatch"


async def test_scope_required(service: Service) -> None:
    async with Client(service.url, service.demo["readKey"]) as client:
        with pytest.raises(venuegate.ScopeRequired) as raised:
            await client.place_order("okx", "BTCUSDT", "buy", 1)
    assert raised.value.details["required"] == "trade"


async def test_not_found(client: Client) -> None:
    with pytest.raises(venuegate.NotFound):
        await client.get_order("ord_none")
    order = await client.place_order("okx", "ADAUSDT", "buy", 100, type="limit", price="0.1")
    await client.cancel_order(order.order_id)
    with pytest.raises(venuegate.NotFound) as raised:
        await client.cancel_order(order.order_id)
    assert raised.value.details["status"] == "cancelled"


async def test_duplicate_request(client: Client) -> None:
    first = await client.place_order("okx", "ADAUSDT", "buy", 100, type="limit", price="0.1", request_id="dup-1")
    again = await client.place_order("okx", "ADAUSDT", "buy", 100, type="limit", price="0.1", request_id="dup-1")
    assert again.order_id == first.order_id
    with pytest.raises(venuegate.DuplicateRequest) as raised:
        await client.place_order("okx", "ADAUSDT", "buy", 200, type="limit", price="0.1", request_id="dup-1")
    assert raised.value.order is not None and raised.value.order.order_id == first.order_id
    await client.cancel_order(first.order_id)


async def test_refusals(client: Client) -> None:
    with pytest.raises(venuegate.InsufficientBalance) as raised:
        await client.place_order("bybit", "BTCUSDT", "buy", 110)
    assert raised.value.details["venueCode"] and raised.value.order is not None
    assert raised.value.order.status == "rejected"
    with pytest.raises(venuegate.SymbolNotTradable):
        await client.place_order("bybit", "NOPEUSDT", "buy", 1)
    with pytest.raises(venuegate.LeverageChangeRejected):
        await client.change_leverage("bybit", "BTCUSDT", 5000)
    with pytest.raises(venuegate.OrderRejected) as rejected:
        await client.close_position("bybit", "XRPUSDT")
    assert rejected.value.details["reason"] == "no_position"
    assert isinstance(rejected.value, venuegate.Refused) and isinstance(rejected.value, venuegate.ApiError)


async def test_locked_and_limited(client: Client, service: Service) -> None:
    service.admin("POST", account(service, "bybit") + "/halt", {})
    try:
        with pytest.raises(venuegate.TradingLocked) as raised:
            await client.place_order("bybit", "XRPUSDT", "buy", 100)
        assert raised.value.details["limit"] == "halted"
    finally:
        service.admin("POST", account(service, "bybit") + "/resume")
    service.admin("PATCH", account(service, "bybit"), {"limits": {"maxOrderNotional": "10"}})
    try:
        with pytest.raises(venuegate.RiskRejected) as limited:
            await client.place_order("bybit", "XRPUSDT", "buy", 100)
        assert limited.value.details["rule"] == "max_order_notional"
    finally:
        service.admin("PATCH", account(service, "bybit"), {"limits": {"maxOrderNotional": None}})


async def test_rate_limited(service: Service) -> None:
    async with Client(service.url, service.new_key(), limits=ONCE) as client:
        with pytest.raises(venuegate.RateLimited) as raised:
            for _ in range(121):
                with pytest.raises(venuegate.InvalidRequest):
                    await client.place_order("okx", "BTCUSDT", "buy", "-1")
    assert raised.value.details == {"limit": 120, "scope": "key"}
    assert raised.value.retry_after is not None and 0 < raised.value.retry_after <= 60


async def test_maintenance(client: Client, service: Service) -> None:
    fault = {"match": {"path": "/v5/order/create"}, "do": "maintenance", "times": 1}
    service.venues.control("bybit", "/faults", fault)
    async with Client(service.url, service.new_key(), limits=ONCE) as once:
        with pytest.raises(venuegate.Maintenance):
            await once.place_order("bybit", "XRPUSDT", "buy", 100, request_id="down-1")
    # Nothing was placed, so the requestId can be used again.
    order = await client.place_order("bybit", "XRPUSDT", "buy", 100, request_id="down-1")
    assert order.status == "filled"
    await client.close_position("bybit", "XRPUSDT")


async def test_exchange_unavailable(own_service: Service) -> None:
    own_service.venues.stop()
    async with Client(own_service.url, own_service.demo["apiKey"], limits=ONCE) as client:
        with pytest.raises(venuegate.ExchangeUnavailable):
            await client.place_order("bybit", "XRPUSDT", "buy", 100)


async def test_unreachable() -> None:
    async with Client("http://127.0.0.1:9", "vgk_x", limits=ONCE) as client:
        with pytest.raises(venuegate.ConnectionFailed):
            await client.find_order("none")
        with pytest.raises(venuegate.ConnectionFailed):  # Not OutcomeUnknown: nothing was sent.
            await client.place_order("okx", "BTCUSDT", "buy", 1)


@pytest.mark.parametrize(
    "script,wait",
    [
        pytest.param([error("429 Too Many Requests", "rate_limited", "Retry-After: 1\r\n")], 1, id="429"),
        pytest.param([error("503 Service Unavailable", "maintenance", "Retry-After: 1\r\n")], 1, id="503"),
        pytest.param([lose_request], 0, id="request lost"),
        pytest.param([lose_answer], 0, id="answer lost"),
        pytest.param([lose_answer, lose_request, lose_answer], 0, id="answers lost"),
        pytest.param([instead("502 Bad Gateway", "<html>", deliver=True)], 0, id="answer of a proxy"),
        pytest.param([instead("500 Internal Server Error", "", deliver=True)], 0, id="empty 500"),
    ],
)
async def test_one_order(far: Client, proxy: Proxy, service: Service, script: list[Act], wait: float) -> None:
    """Whatever is lost, an order is placed once, and the call returns it."""
    known = len(service.venues.orders("okx"))
    proxy.script.extend(script)
    started = time.monotonic()
    order = await far.place_order("okx", "BTCUSDT", "buy", "0.0101")
    assert order.status == "filled"
    bodies = {request.partition(b"\r\n\r\n")[2] for request in proxy.requests}
    assert len(proxy.requests) == len(script) + 1 and len(bodies) == 1, "attempts, all with one requestId"
    assert len(service.venues.orders("okx")) == known + 1 and len(service.venues.ledger("okx", order.order_id)) == 1
    assert time.monotonic() - started >= wait
    proxy.script.append(lose_answer)
    closed = await far.close_position("okx", "BTCUSDT")
    assert closed.filled_qty == Decimal("0.0101") and len(service.venues.orders("okx")) == known + 2


async def test_unknown_outcome(proxy: Proxy, service: Service) -> None:
    """An order whose answers are all lost is reported as unknown, with the key to it."""
    async with Client(proxy.url, service.new_key(), limits=Limits(backoff_seconds=0.01, retries=2)) as client:
        proxy.script.extend([lose_answer] * 3)
        with pytest.raises(venuegate.OutcomeUnknown) as raised:
            await client.place_order("okx", "BTCUSDT", "buy", "0.01")
        assert raised.value.request_id is not None and len(proxy.requests) == 3
        found = await client.find_order(raised.value.request_id)
        assert found is not None and found.status == "filled"
        again = await client.place_order("okx", "BTCUSDT", "buy", "0.01", request_id=raised.value.request_id)
        assert again.order_id == found.order_id
        # Errors that do not relate to the first attempt leave it unknown.
        proxy.script.extend([lose_request, error("401 Unauthorized", "unauthorized")])
        with pytest.raises(venuegate.OutcomeUnknown) as refused:
            await client.place_order("okx", "BTCUSDT", "buy", "0.01")
        assert isinstance(refused.value.__cause__, venuegate.Unauthorized)
        # One that the service gives a repeat of the same requestId does.
        proxy.script.extend([lose_request])
        with pytest.raises(venuegate.SymbolNotTradable):
            await client.place_order("okx", "NOPEUSDT", "buy", "0.01")
        proxy.script.extend([instead("201 Created", "{}", deliver=True)])
        with pytest.raises(venuegate.OutcomeUnknown):
            await client.place_order("okx", "BTCUSDT", "sell", "0.01")
        assert (await client.list_positions("okx")).items == ()


async def test_lost_changes(far: Client, proxy: Proxy) -> None:
    order = await far.place_order("okx", "ADAUSDT", "buy", 100, type="limit", price="0.1")
    sent = len(proxy.requests)
    proxy.script.append(lose_answer)
    with pytest.raises(venuegate.OutcomeUnknown) as raised:
        await far.amend_order(order.order_id, price="0.11")
    assert raised.value.request_id is None and len(proxy.requests) == sent + 1, "an amend is sent once"
    proxy.script.append(lose_answer)  # Of a read, which is repeated.
    assert (await far.get_order(order.order_id)).price == Decimal("0.11")
    proxy.script.append(lose_answer)
    with pytest.raises(venuegate.NotFound) as gone:
        await far.cancel_order(order.order_id)
    assert gone.value.details["status"] == "cancelled"
    proxy.script.append(lose_answer)
    with pytest.raises(venuegate.OutcomeUnknown):
        await far.cancel_orders("okx", "ADAUSDT")


async def test_foreign_answers(far: Client, proxy: Proxy) -> None:
    proxy.script.extend([instead("200 OK", "<html>"), instead("404 Not Found", "<html>"), instead("200 OK", "[1]")])
    for _ in range(3):
        with pytest.raises(venuegate.MalformedAnswer):
            await far.get_account()
    proxy.script.append(error("418 Teapot", "of_a_later_version"))
    with pytest.raises(venuegate.ApiError) as raised:
        await far.get_account()
    assert (raised.value.code, type(raised.value)) == ("of_a_later_version", venuegate.ApiError)
    assert raised.value.doc_url == ""
    proxy.script.extend([error("500 Internal Server Error", "internal_error")] * 6)
    with pytest.raises(venuegate.InternalError):
        await far.get_account()


async def test_lost_signal(service: Service, proxy: Proxy) -> None:
    hook = service.demo["hook"]
    known = len(service.venues.orders("binance"))
    async with Client(proxy.url, limits=FAST) as far:
        proxy.script.append(lose_answer)
        answer = await far.send_signal(hook["id"], hook["secret"], Signal("order", "binance", "LTCUSDT", "buy", "2"))
        assert answer.duplicate and answer.order_id is not None
        await far.send_signal(hook["id"], hook["secret"], Signal("close", "binance", "LTCUSDT"))
    assert len(service.venues.orders("binance")) == known + 2


async def test_killed_while_placing(own_service: Service) -> None:
    """The service is killed between sending an order and answering; the call survives it."""
    venues = own_service.venues
    venues.control("binance", "/faults", {"match": {"path": "/fapi/v1/order", "op": "POST"}, "do": "timeout_after", "times": 1})

    async def kill(request: bytes, forward: Forward) -> bytes | None:
        sending = asyncio.ensure_future(forward(request))
        while not venues.orders("binance"):
            await asyncio.sleep(0.01)
        own_service.kill()
        await asyncio.gather(sending, return_exceptions=True)  # Its answer, if there was one, is lost too.
        await asyncio.to_thread(own_service.start)
        return None

    async with Proxy(own_service.url) as proxy, Client(proxy.url, own_service.demo["apiKey"], limits=FAST) as client:
        proxy.script.append(kill)
        order = await client.place_order("binance", "BTCUSDT", "buy", "0.01")
        assert len(proxy.requests) >= 2, "the call was repeated"
        while order.is_unknown:
            await asyncio.sleep(0.1)
            order = await client.get_order(order.order_id)
        assert (order.status, order.filled_qty) == ("filled", Decimal("0.01"))
        assert [o["filledQty"] for o in venues.orders("binance")] == ["0.01"]
        assert [o.order_id async for o in client.list_orders(status="all")] == [order.order_id]
