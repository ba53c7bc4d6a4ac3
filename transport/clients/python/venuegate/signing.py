"""Signatures: of signals to a channel, and of events to an endpoint.

Both are HMAC-SHA256 over the timestamp, a dot and the raw bytes of the body, with the whole
text of the secret as the key, in two headers.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping

from .decode import decode, parse
from .errors import InvalidEvent, MalformedAnswer
from .records import Event

HEADER_PREFIX = "X-Service"
"""How the names of the headers begin, unless the service has another headerPrefix."""

TOLERANCE_SECONDS = 300
"""How far a timestamp may be from the clock."""


def sign_hook(
    secret: str, body: bytes, *, timestamp: int | None = None, prefix: str = HEADER_PREFIX
) -> dict[str, str]:
    """Return the two headers that sign body; send exactly these bytes."""
    stamp = str(int(time.time()) if timestamp is None else timestamp)
    return {f"{prefix}-Timestamp": stamp, f"{prefix}-Signature": _signature(secret, stamp, body)}


def verify_event(
    headers: Mapping[str, str],
    body: bytes,
    secret: str,
    *,
    now: float | None = None,
    prefix: str = HEADER_PREFIX,
) -> Event:
    """Return the event in the raw body of a request to an endpoint.

    headers are those of the request, in any case. InvalidEvent means that the request is not
    from the service, or is older than TOLERANCE_SECONDS: answer 401 and do nothing else. An
    event may be delivered more than once: discard ids that you have already handled.
    """
    given = {name.lower(): value for name, value in headers.items()}
    stamp = given.get(f"{prefix}-Timestamp".lower(), "")
    signature = given.get(f"{prefix}-Signature".lower(), "")
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12):
        raise InvalidEvent("the timestamp is missing or malformed")
    if not hmac.compare_digest(_signature(secret, stamp, body).encode(), signature.lower().encode()):
        raise InvalidEvent("the signature does not match the body")
    if abs((time.time() if now is None else now) - int(stamp)) > TOLERANCE_SECONDS:
        raise InvalidEvent("the timestamp is too far from the clock")
    try:
        return decode(Event, parse(body))
    except MalformedAnswer as error:
        raise InvalidEvent(str(error)) from error


def _signature(secret: str, stamp: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
