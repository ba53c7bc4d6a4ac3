import {expect, test} from "vitest";
import type {Key} from "../../api/types";
import {isActive, isUnused, newestFirst} from "./use";

const now = new Date("2026-11-27T12:00:00Z");
const key = (more: Partial<Key>) => ({id: "k", createdAt: "2026-01-01T00:00:00Z", lastUsedAt: null, expiresAt: null, revokedAt: null, ...more}) as Key;

test.each([
  ["made long ago and never used", {}, true], ["used lately", {lastUsedAt: "2026-11-01T00:00:00Z"}, false],
  ["used 90 days ago", {lastUsedAt: "2026-08-29T12:00:00Z"}, true], ["used 89 days ago", {lastUsedAt: "2026-08-30T12:00:01Z"}, false],
  ["made lately and never used", {createdAt: "2026-11-01T00:00:00Z"}, false], ["ended", {expiresAt: "2026-11-01T00:00:00Z"}, false], ["revoked", {revokedAt: "2026-11-01T00:00:00Z"}, false],
])("a key that was %s", (_, more, want) => expect(isUnused(key(more), now)).toBe(want));

test("a key is active until its end", () => {
  expect([key({}), key({expiresAt: "2026-11-27T12:00:01Z"}), key({expiresAt: "2026-11-27T12:00:00Z"})].map((one) => isActive(one, now))).toEqual([true, true, false]);
});

test("those that may be used come first, the newest before", () => {
  const keys = [key({id: "revoked", revokedAt: "2026-11-01T00:00:00Z"}), key({id: "old"}), key({id: "new", createdAt: "2026-11-01T00:00:00Z"})];
  expect(newestFirst(keys, now).map(({id}) => id)).toEqual(["new", "old", "revoked"]);
});
