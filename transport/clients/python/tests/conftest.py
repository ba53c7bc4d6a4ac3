from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from harness import BINARY, Proxy, Service, Venues
from venuegate import Client, Limits

FAST = Limits(backoff_seconds=0.05, answer_seconds=10)


@pytest.fixture(scope="session")
def venues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Venues]:
    assert Path(BINARY).exists(), f"no {BINARY}: run `make build` or set BINARY_UNDER_TEST"
    venues = Venues(tmp_path_factory.mktemp("venues"))
    yield venues
    venues.stop()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, venues: Venues) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("service"), venues)
    yield service
    service.stop()


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[Service]:
    """A service and venues of a test that kills them."""
    venues = Venues(tmp_path)
    service = Service(tmp_path, venues)
    yield service
    service.stop()
    venues.stop()


@pytest.fixture
async def client(service: Service) -> AsyncIterator[Client]:
    async with Client(service.url, service.new_key(), limits=FAST) as client:
        yield client


@pytest.fixture
async def proxy(service: Service) -> AsyncIterator[Proxy]:
    async with Proxy(service.url) as proxy:
        yield proxy


@pytest.fixture
async def far(service: Service, proxy: Proxy) -> AsyncIterator[Client]:
    """A client behind the proxy."""
    async with Client(proxy.url, service.new_key(), limits=FAST) as client:
        yield client
