"""The service and the simulated venues as processes, and a proxy that loses answers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parents[2]
BINARY = os.environ.get("BINARY_UNDER_TEST", str(ROOT / "bin" / "venuegate"))
START_SECONDS_MAX = 30


def wait_for_json(path: Path, process: subprocess.Popen[bytes]) -> Any:
    """Return the content of a file that a process writes once it is ready."""
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"{process.args!r} ended with {process.returncode}, want it running")
        try:
            return json.loads(path.read_text())
        except (FileNotFoundError, ValueError):
            time.sleep(0.02)
    raise AssertionError(f"no {path} after {START_SECONDS_MAX} s")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Venues:
    """The three simulated venues, as a process of their own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "sim.json"
        self._process = subprocess.Popen([BINARY, "sim", "--out", str(self.file), "--log-level", "error"])
        self.described = wait_for_json(self.file, self._process)

    def stop(self) -> None:
        stop(self._process)

    def control(self, exchange: str, path: str, body: Any = None, method: str | None = None) -> Any:
        url = self.described[exchange]["controlUrl"] + path
        answer = httpx.request(method or ("GET" if body is None else "POST"), url, json=body)
        assert answer.is_success, f"{path}: {answer.text}"
        return answer.json()

    def ledger(self, exchange: str, order_id: str) -> list[dict[str, Any]]:
        """Return the orders that the venue ever received for an order of the service."""
        suffix = order_id.removeprefix("ord_").lower()
        return [o for o in self.orders(exchange) if o["clientOrderId"].lower().endswith(suffix)]

    def orders(self, exchange: str) -> list[dict[str, Any]]:
        return list(self.control(exchange, "/ledger")["orders"])

    def net(self, exchange: str, since: int) -> Decimal:
        """Return what the orders from the one at since on have bought less what they have sold."""
        total = Decimal(0)
        for order in self.orders(exchange)[since:]:
            total += Decimal(order["filledQty"]) * (1 if order["side"] == "buy" else -1)
        return total


class Service:
    """The service as a process, on simulated venues. It keeps its address over restarts."""

    def __init__(self, folder: Path, venues: Venues) -> None:
        self.venues = venues
        self._data = folder / "data"
        self._listen = ["127.0.0.1:0", "127.0.0.1:0"]
        self.start()

    def start(self) -> None:
        described = self._data / "demo.json"
        described.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [BINARY, "serve", "--demo", "--data", str(self._data), "--sim", str(self.venues.file), "--log-level", "error"]
            + ["--listen", self._listen[0], "--admin-listen", self._listen[1]],
            stdout=subprocess.DEVNULL,
        )
        self.demo = wait_for_json(described, self._process)
        self.url: str = self.demo["baseUrl"]
        self._listen = [self.demo[name].removeprefix("http://") for name in ("baseUrl", "adminUrl")]
        self.customer: str = self.admin("GET", "customers")["items"][0]["id"]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        stop(self._process)

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": "Bearer " + self.demo["adminToken"]}
        answer = httpx.request(method, f"{self.demo['adminUrl']}/admin/v1/{path}", json=body, headers=headers)
        assert answer.is_success, f"{path}: {answer.text}"
        return answer.json()

    def new_key(self, *scopes: str) -> str:
        """Return a new key, which has rate limits of its own."""
        wanted = list(scopes) or ["read", "trade", "account"]
        created = self.admin("POST", "keys", {"customer": self.customer, "name": "test", "scopes": wanted})
        return str(created["apiKey"])

    def revoke(self, key: str) -> None:
        self.admin("DELETE", "keys/" + key[4:12])


Forward = Callable[[bytes], Awaitable[bytes]]
Act = Callable[[bytes, Forward], Awaitable[bytes | None]]
"""Returns the answer to a request, or None to close the connection without one."""


async def lose_request(request: bytes, forward: Forward) -> bytes | None:
    return None


async def lose_answer(request: bytes, forward: Forward) -> bytes | None:
    await forward(request)
    return None


def instead(status: str, body: str, headers: str = "", deliver: bool = False) -> Act:
    """Answer something else, with the request delivered or not."""

    async def act(request: bytes, forward: Forward) -> bytes | None:
        if deliver:
            await forward(request)
        return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}".encode()

    return act


def error(status: str, code: str, headers: str = "") -> Act:
    envelope = {"error": {"code": code, "message": "scripted", "details": {}, "requestId": "req_1"}}
    return instead(status, json.dumps(envelope), headers)


class Proxy:
    """A proxy before the service. The requests take the scripted acts, later ones pass."""

    def __init__(self, target: str) -> None:
        self._host, self._port = target.removeprefix("http://").split(":")
        self.script: deque[Act] = deque()
        self.requests: list[bytes] = []

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await read_message(reader)
                # The service accepts requests for its own host only.
                request = request.replace(self.url.removeprefix("http://").encode(), f"{self._host}:{self._port}".encode())
                self.requests.append(request)
                answer = await (self.script.popleft()(request, self._forward) if self.script else self._forward(request))
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _forward(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(self._host, int(self._port))
        try:
            writer.write(request)
            return await read_message(reader)
        finally:
            writer.close()


async def read_message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return head + await reader.readexactly(int(value))
    return head
