"""Events as the service delivers them, and what is no event."""

from __future__ import annotations

import asyncio
import time

import pytest

from harness import Service, read_message
from venuegate import Client, Event, InvalidEvent, sign_hook, verify_event

BODY = b'{"id":"evt_1","type":"order.filled","createdAt":"2026-11-20T09:19:00.123Z","data":{"qty":"0.01"},"more":1}'


async def test_delivered_event(client: Client, service: Service) -> None:
    delivered: asyncio.Queue[tuple[dict[str, str], bytes]] = asyncio.Queue()

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _, body = (await read_message(reader)).partition(b"\r\n\r\n")
        lines = [line.decode().partition(":") for line in head.split(b"\r\n")[1:]]
        delivered.put_nowait(({name: value.strip() for name, _, value in lines}, body))
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(receive, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/events"
        wanted = {"customer": service.customer, "url": url, "types": ["order.filled"]}
        endpoint = service.admin("POST", "endpoints", wanted)
        order = await client.place_order("okx", "XRPUSDT", "buy", 100)
        headers, body = await asyncio.wait_for(delivered.get(), 20)
        service.admin("DELETE", "endpoints/" + endpoint["id"])
    event = verify_event(headers, body, endpoint["secret"])
    assert (event.type, event.data["orderId"], event.id) == ("order.filled", order.order_id, headers["X-Service-Event-Id"])
    assert event in [e async for e in client.list_events()]
    for secret, changed in ((endpoint["secret"], body + b" "), ("whsec_other", body)):
        with pytest.raises(InvalidEvent, match="signature"):
            verify_event(headers, changed, secret)
    with pytest.raises(InvalidEvent, match="clock"):
        verify_event(headers, body, endpoint["secret"], now=time.time() + 301)
    await client.close_position("okx", "XRPUSDT")


def test_signed_by_itself() -> None:
    headers = sign_hook("whsec_x", BODY, timestamp=1000)
    event = verify_event({k.lower(): v for k, v in headers.items()}, BODY, "whsec_x", now=1300)
    assert isinstance(event, Event) and event.data == {"qty": "0.01"}
    # Computed with openssl dgst -sha256 -hmac.
    want = "sha256=c70bb77e5381d235a40dfdc7f474c65c04812e107567773e8246cb69f0bc51ae"
    assert headers == {"X-Service-Timestamp": "1000", "X-Service-Signature": want}


@pytest.mark.parametrize("stamp", ["", "-1", "1e3", "٣", "1" * 13])
def test_malformed_timestamp(stamp: str) -> None:
    with pytest.raises(InvalidEvent, match="timestamp"):
        verify_event(sign_hook("whsec_x", BODY) | {"X-Service-Timestamp": stamp}, BODY, "whsec_x")


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, BODY.replace(b"Z", b"")])
def test_signed_but_no_event(body: bytes) -> None:
    with pytest.raises(InvalidEvent):
        verify_event(sign_hook("whsec_x", body), body, "whsec_x")
    with pytest.raises(InvalidEvent, match="signature"):
        verify_event(sign_hook("whsec_x", body) | {"X-Service-Signature": "sha256=é"}, body, "whsec_x")
