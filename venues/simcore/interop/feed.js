// A feed watches a stream of CCXT without pause: what a stream tells while nobody
// watches wakes nobody.
import { eventually, pause, within } from './expect.js'

// stirMs leaves room for the venues' limits on orders.
const stirMs = 250

export class Feed {
  // watch is a call of CCXT; cache, where given, is what CCXT remembers of the
  // stream, because of two messages in one packet only the first wakes a watcher.
  constructor(watch, cache = () => []) {
    this.cache = cache
    this.told = []
    this.run(watch)
  }

  async run(watch) {
    try {
      for (;;) this.told.push(...listOf(await watch()))
    } catch (error) {
      this.failure = error
    }
  }

  // opened waits until the stream tells something. It is stirred up meanwhile:
  // what happens before the venue has taken the subscription is told to nobody.
  async opened(what, stir) {
    const stirred = async () => {
      while (!this.next(() => true)) {
        await stir()
        await pause(stirMs)
      }
    }
    await within(`${what} to open`, stirred())
    return this
  }

  // heard waits until the stream has told what is accepted.
  heard(what, accept) {
    return eventually(what, () => this.next(accept))
  }

  next(accept) {
    const found = [...this.told, ...listOf(this.cache())].find(accept)
    if (!found && this.failure) throw this.failure
    return found
  }
}

function listOf(answer) {
  if (answer === undefined) return []
  return Array.isArray(answer) && typeof answer[0] !== 'number' ? answer : [answer]
}
