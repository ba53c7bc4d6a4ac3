"""The package as its users get it: types, wheel, quick start."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from harness import PACKAGE, Service
from venuegate import Client, Order, Stream, Subscription
from venuegate.decode import decode, parse
from venuegate.errors import MalformedAnswer


def run(*command: str, folder: Path = PACKAGE) -> None:
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}, want 0\n{done.stdout}{done.stderr}"


def test_types() -> None:
    run("-m", "mypy")


def test_wheel(tmp_path: Path) -> None:
    sources = {"venuegate/" + path.name for path in Path(PACKAGE, "venuegate").iterdir() if path.is_file()}
    for name in [*sources, "pyproject.toml", "README.md"]:
        Path(tmp_path, name).parent.mkdir(exist_ok=True)
        shutil.copy(PACKAGE / name, tmp_path / name)
    run("-m", "build", "--wheel", "--no-isolation", "--outdir", ".", folder=tmp_path)
    [wheel] = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == sources and "venuegate/py.typed" in names
    shutil.rmtree(tmp_path / "venuegate")
    run("-c", f"import sys; sys.path.insert(0, {str(wheel)!r}); import venuegate; assert '.whl' in venuegate.__file__", folder=tmp_path)


async def test_quick_start(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The first code of README.md works as in a notebook, with await at the top level."""
    quick, verify = re.findall(r"```python\n(.*?)```", Path(PACKAGE, "README.md").read_text(), re.S)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "demo.json").write_text(json.dumps(service.demo))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    cell = eval(compile(quick, "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    assert inspect.iscoroutine(cell)
    await cell
    printed = capsys.readouterr().out
    assert printed.startswith("filled 0.01 ") and "snapshot (Decimal(" in printed
    exec(verify, names)
    handle = names["handle"]
    assert callable(handle) and handle({}, b"") == 401


def test_every_method_is_documented() -> None:
    readme = Path(PACKAGE, "README.md").read_text()
    for owner in (Client, Stream, Subscription):
        for name, method in inspect.getmembers(owner, callable):
            if not name.startswith("_"):
                assert inspect.getdoc(method), f"{owner.__name__}.{name} has no docstring"
                if owner is Client and name not in ("close", "stream"):
                    assert name in readme, f"README.md does not name {name}"


def test_later_versions() -> None:
    """Unknown members are ignored, unknown values kept; what cannot be read is an error."""
    record = dict.fromkeys(("price triggerPrice avgPrice stopLoss takeProfit protection timeInForce fee feeCurrency channelId").split())
    record |= dict.fromkeys(("requestId pendingAction comment venueOrderId replaces replacedBy error createdAt").split())
    record |= {"orderId": "o", "exchange": "nova", "symbol": "S", "side": "buy", "type": "iceberg", "status": "resting"}
    record |= {"qty": "0.10", "filledQty": "0", "remainingQty": "0.1", "reduceOnly": False, "postOnly": False}
    record |= {"source": "api", "updatedAt": "2026-11-20T09:19:00.123Z", "added": {"later": 1}}
    order = decode(Order, record)
    assert (order.status, order.type, str(order.qty), order.is_final) == ("resting", "iceberg", "0.10", False)
    assert hash(order)
    for name, value in (("qty", 0.1), ("qty", "x"), ("qty", None), ("updatedAt", "2026-11-20T09:19:00"), ("reduceOnly", 0)):
        with pytest.raises(MalformedAnswer):
            decode(Order, record | {name: value})
    with pytest.raises(MalformedAnswer):
        decode(Order, {k: v for k, v in record.items() if k != "error"})
    with pytest.raises(MalformedAnswer):
        decode(Order, [record])
    assert str(parse("[1.10]")[0]) == "1.10"
    with pytest.raises(MalformedAnswer):
        parse("[" * 100_000)


