const delayMsMax = 30_000;

/** Returns the delay before a retry: doubling, at most 30 s, with jitter of up to a half. */
export function backoffMs(firstMs: number, retry: number): number {
  return Math.min(firstMs * 2 ** retry, delayMsMax) * (0.5 + Math.random() / 2);
}

/** Waits. Rejects with the reason of the signal as soon as that is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
