/** Returns what a full queue continues with: shorter than what was queued, or an error that ends it. */
export type Overflow<T> = (queued: T[]) => T[] | Error;

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: Error): void;
}

/** A bounded queue between the stream and the program that reads it. It has one reader. */
export class EventQueue<T> {
  private queued: T[] = [];
  private waiter: Waiter<T> | null = null;
  private ended = false;
  private error: Error | null = null;

  constructor(private readonly limit: number, private readonly overflow: Overflow<T>) {}

  /** Adds an event. Returns the error that ends the queue if it is full and fails. */
  push(event: T): Error | null {
    if (this.ended) return null;
    if (this.waiter) {
      this.waiter.resolve({ done: false, value: event });
      this.waiter = null;
      return null;
    }
    this.queued.push(event);
    if (this.queued.length <= this.limit) return null;
    const rest = this.overflow(this.queued);
    if (Array.isArray(rest)) this.queued = rest;
    else this.queued.pop(), this.end(rest);
    return this.error;
  }

  /** Ends the queue: its reader gets what is queued, then the end or the error. */
  end(error: Error | null = null): void {
    if (this.ended) return;
    this.ended = true;
    this.error = error;
    if (error) this.waiter?.reject(error);
    else this.waiter?.resolve({ done: true, value: undefined });
    this.waiter = null;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.waiter) return Promise.reject(new TypeError("a subscription has one reader"));
    if (this.queued.length) return Promise.resolve({ done: false, value: this.queued.shift()! });
    if (this.error) return Promise.reject(this.error);
    if (this.ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => { this.waiter = { resolve, reject }; });
  }
}
