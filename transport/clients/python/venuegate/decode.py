"""Reads JSON into the frozen dataclasses of records.py, by their annotations.

Members that a record does not have are ignored, so that additions to the interface change
nothing. Text stays text: a value that an enumeration of the document does not have yet is
kept as it is.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from .errors import MalformedAnswer

T = TypeVar("T")

_Reader = Callable[[Any], Any]


def decode(record: type[T], value: Any) -> T:
    """Return value, a decoded JSON value, as a record; MalformedAnswer if it is none."""
    try:
        return typing.cast(T, _reader(typing.cast(Any, record))(value))
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation) as error:
        raise MalformedAnswer(f"not a valid {getattr(record, '__name__', record)}: {error!r}") from error


def parse(text: bytes | str) -> Any:
    """Return the value of a JSON text. Numbers with a point are Decimal, never float."""
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise MalformedAnswer(f"not JSON: {error}") from error


@functools.cache
def _reader(kind: Any) -> _Reader:
    if dataclasses.is_dataclass(kind):
        return _record_reader(kind)
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _optional_reader(_reader(next(a for a in args if a is not type(None))))
    if origin is tuple:
        return _tuple_reader([_reader(a) for a in args if a is not Ellipsis], Ellipsis in args)
    readers: dict[Any, _Reader] = {Decimal: _decimal, datetime: _time, str: _text, bool: _same(bool), int: _same(int)}
    return readers.get(kind, _same(Mapping))


def _record_reader(kind: Any) -> _Reader:
    hints = typing.get_type_hints(kind)
    plan = [(f.name, camel(f.name), _reader(hints[f.name]), f.default) for f in dataclasses.fields(kind)]

    def read(value: Any) -> Any:
        # The members of a record may be null, but are not left out unless they have a default.
        members = {}
        for name, key, reader, default in plan:
            if key in value:
                members[name] = reader(value[key])
            elif default is dataclasses.MISSING:
                raise KeyError(key)
        return kind(**members)

    return read


def _optional_reader(reader: _Reader) -> _Reader:
    return lambda value: None if value is None else reader(value)


def _tuple_reader(readers: list[_Reader], repeated: bool) -> _Reader:
    if repeated:
        return lambda value: tuple(map(readers[0], value))
    return lambda value: tuple(reader(v) for reader, v in zip(readers, value, strict=True))


def _same(kind: type) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} is no {kind.__name__}")
        return value

    return read


_text = _same(str)


def _decimal(value: Any) -> Decimal:
    return Decimal(_text(value))


def _time(value: Any) -> datetime:
    at = datetime.fromisoformat(_text(value))
    if at.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    return at


@functools.cache
def camel(name: str) -> str:
    """Return a name of Python as the document spells it."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
