// A feed watches a stream of CCXT without pause: CCXT drops messages that arrive
// while no call waits for them.
import { eventually, pause, within } from './expect.js'

// actionMs is the interval of actions, within the venues' rate limits of orders.
const actionMs = 250

export class Feed {
  // watch is a call of CCXT. cache, where given, returns the messages that CCXT keeps:
  // of two messages in one packet only the first resolves watch.
  constructor(watch, cache = () => []) {
    this.cache = cache
    this.messages = []
    this.run(watch)
  }

  async run(watch) {
    try {
      for (;;) this.messages.push(...listOf(await watch()))
    } catch (error) {
      this.failure = error
    }
  }

  // open waits for the first message of the stream. It repeats act meanwhile, because
  // events before the subscription are not published.
  async open(what, act) {
    const acting = async () => {
      while (!this.next(() => true)) {
        await act()
        await pause(actionMs)
      }
    }
    await within(`the first message of ${what}`, acting())
    return this
  }

  // waitFor waits for a message that accept returns true for.
  waitFor(what, accept) {
    return eventually(what, () => this.next(accept))
  }

  next(accept) {
    const found = [...this.messages, ...listOf(this.cache())].find(accept)
    if (!found && this.failure) throw this.failure
    return found
  }
}

function listOf(answer) {
  if (answer === undefined) return []
  return Array.isArray(answer) && typeof answer[0] !== 'number' ? answer : [answer]
}
