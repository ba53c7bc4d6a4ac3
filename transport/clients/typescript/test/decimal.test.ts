import assert from "node:assert/strict";
import { test } from "node:test";
import { add, compare, OrderBook, subtract } from "venuegate";

test("decimals are compared and added exactly", () => {
  for (const [a, b, want] of [["1", "1.0", 0], ["0.1", "0.09", 1], ["-0.5", "0.5", -1], ["9007199254740993", "9007199254740992", 1], ["-2", "-10", 1]] as const) {
    assert.equal(compare(a, b), want, `compare(${a}, ${b})`);
    assert.equal(compare(b, a), -want + 0, `compare(${b}, ${a})`);
  }
  for (const [a, b, sum, difference] of [
    ["0.1", "0.2", "0.3", "-0.1"], ["1", "-1", "0", "2"], ["99.95", "0.05", "100", "99.9"],
    ["-0.000000000000000001", "0", "-0.000000000000000001", "-0.000000000000000001"],
    ["123456789012345678.5", "0.5", "123456789012345679", "123456789012345678"],
  ] as const) {
    assert.equal(add(a, b), sum, `add(${a}, ${b})`);
    assert.equal(subtract(a, b), difference, `subtract(${a}, ${b})`);
  }
  for (const wrong of ["1e5", "", "1.", ".5", "NaN", "+1"]) assert.throws(() => compare(wrong, "0"), TypeError, wrong);
});

test("changes of a book set, replace and remove levels on both sides", () => {
  const book = new OrderBook();
  assert.equal(book.bestBid, undefined);
  book.set({ bids: [["100", "1"], ["99", "2"]], asks: [["101", "3"]] });
  book.apply({ bids: [["100.5", "4"], ["99", "0"], ["98", "5"], ["100", "6"], ["97", "0"]], asks: [["100.75", "7"], ["101", "0"], ["1000", "8"]] });
  assert.deepEqual(book.bids, [["100.5", "4"], ["100", "6"], ["98", "5"]]);
  assert.deepEqual(book.asks, [["100.75", "7"], ["1000", "8"]]);
  assert.deepEqual([book.bestBid, book.bestAsk], [["100.5", "4"], ["100.75", "7"]]);
  book.stale = true;
  assert.equal(book.bestBid, undefined);
});
