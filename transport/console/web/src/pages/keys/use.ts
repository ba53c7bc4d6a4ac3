import type {Key} from "../../api/types";

export const UNUSED_DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

/** isActive reports whether a key may be used. */
export function isActive({revokedAt, expiresAt}: Key, now: Date): boolean {
  return !revokedAt && (!expiresAt || new Date(expiresAt) > now);
}

/** isUnused reports whether a key may be used and was not for a long time, or not since it was made. */
export function isUnused(key: Key, now: Date): boolean {
  return isActive(key, now) && now.getTime() - new Date(key.lastUsedAt ?? key.createdAt).getTime() >= UNUSED_DAYS * DAY_MILLISECONDS;
}

/** newestFirst sorts keys: those that may be used, then the others. */
export function newestFirst(keys: readonly Key[], now: Date): Key[] {
  return keys.toSorted((a, b) => (isActive(a, now) === isActive(b, now) ? (a.createdAt < b.createdAt ? 1 : -1) : isActive(a, now) ? -1 : 1));
}
