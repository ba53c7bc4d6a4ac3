// The connection of the watch methods: authentication, subscriptions and sequence numbers.
// CCXT makes the connection again, with backoff, in the next call after it was lost.
import { InvalidNonce, NetworkError } from 'ccxt'
import { errorOf } from './errors.js'
import { Trading } from './trading.js'

// codes are the codes of REST for errors of the stream without one.
const codes = { 4000: 'invalid_request', 4001: 'unauthorized', 4012: 'maintenance', 4029: 'rate_limited' }

export class Stream extends Trading {
  streamUrl() {
    const base = this.options.baseUrl ?? this.urls.api.private
    return base.replace(/^http/, 'ws').replace(/\/+$/, '') + '/v1/stream'
  }

  ping() {
    return { op: 'ping' }
  }

  // next waits for the next message under a hash, with topics subscribed on an authenticated
  // connection.
  async next(hash, topics) {
    const url = this.streamUrl()
    this.checkRequiredCredentials()
    // CCXT requires it for an address without TLS, proxy or not.
    if (url.startsWith('ws:')) await this.loadHttpProxyAgent()
    // The answer stays in the client, so that later calls find it.
    await this.watch(url, 'authenticated', { op: 'auth', id: 'authenticated', token: this.apiKey }, 'authenticated')
    const client = this.clients[url]
    if (!client) throw new NetworkError(`${this.id} the connection was lost`)
    const missing = topics.filter((topic) => !client.subscriptions[topic])
    for (const topic of missing) {
      client.subscriptions[topic] = { seq: undefined, hashes: new Set() }
      client.send({ op: 'subscribe', id: topic, channels: [topic] }).catch((error) => client.onError(error))
    }
    for (const topic of topics) client.subscriptions[topic].hashes.add(hash)
    const unseen = this.unseen(client)
    if (!unseen.has(hash)) return client.future(hash)
    const value = unseen.get(hash)
    unseen.delete(hash)
    return value
  }

  // unseen has the newest value of each hash that no call has waited for: the next one
  // returns it, so that a change is not missed between two calls.
  unseen(client) {
    return client.unseen ??= new Map()
  }

  publish(client, value, hash) {
    if (hash in client.futures) client.resolve(value, hash)
    else this.unseen(client).set(hash, value)
  }

  refuse(client, error, hash) {
    this.unseen(client).delete(hash)
    client.reject(error, hash)
  }

  // news returns what is new in a cache for the caller of a watch method, and waits for it
  // if there is nothing.
  async news(cache, hash, topics, accepts) {
    cache.read(hash, accepts)
    while (!cache.hasNews(hash)) await this.next(hash, topics)
    const fresh = cache.take(hash)
    return this.newUpdates ? fresh : cache.filter(accepts ?? (() => true))
  }

  handleMessage(client, message) {
    const { op, channel } = message
    if (channel !== undefined) return this.handleTopic(client, channel, message)
    if (op === 'pong') client.lastPong = this.milliseconds()
    else if (op === 'auth') client.futures.authenticated.resolve(true)
    else if (op === 'error') this.handleError(client, message)
    else for (const { channel: topic, ...rejection } of message.rejected ?? []) this.fail(client, topic, this.rejection(rejection))
    return undefined
  }

  rejection({ code, message, reason, details }) {
    return errorOf(this.id, { code: reason ?? details?.reason ?? codes[code] ?? String(code), message, details })
  }

  // handleError handles the reply to a message that was not carried out. Without
  // authentication nothing can follow.
  handleError(client, message) {
    const error = this.rejection(message)
    if (client.subscriptions[message.id]?.hashes) return this.fail(client, message.id, error)
    client.onError(error)
    client.close()
    return undefined
  }

  // fail ends a subscription with an error.
  fail(client, topic, error) {
    for (const hash of client.subscriptions[topic]?.hashes ?? []) this.refuse(client, error, hash)
    delete client.subscriptions[topic]
  }

  // handleTopic checks the sequence of a topic and passes its message on. A loss is an error
  // of all watch calls of the topic: what came before must not be used, or is incomplete.
  handleTopic(client, topic, message) {
    const subscription = client.subscriptions[topic]
    if (!subscription) return undefined
    const { type, seq } = message
    const [kind] = topic.split(':')
    if (type === 'stale' || type === 'gap') {
      subscription.seq = type === 'gap' ? seq : undefined
      return this.lose(client, topic, `the service lost messages of the venue${message.missed ? `: ${message.missed} trades` : ''}`)
    }
    if (type !== 'snapshot' && seq !== subscription.seq + 1) {
      const gap = subscription.seq !== undefined && `message ${seq} follows ${subscription.seq}`
      // Trades have no snapshot. Anything else is ignored until there is one.
      if (kind !== 'trades') return gap && this.resubscribe(client, topic, gap)
      if (gap) this.lose(client, topic, gap)
    }
    subscription.seq = seq
    return this.handlers()[kind].call(this, client, subscription, message, topic)
  }

  handlers() {
    return {}
  }

  // lose reports a loss of messages to the callers. The topic stays subscribed.
  lose(client, topic, reason) {
    this.forget(topic)
    const error = new InvalidNonce(`${this.id} ${topic}: ${reason}`)
    for (const hash of client.subscriptions[topic].hashes) this.refuse(client, error, hash)
  }

  // resubscribe reports a gap. The next call subscribes again.
  resubscribe(client, topic, reason) {
    this.lose(client, topic, reason)
    delete client.subscriptions[topic]
    client.send({ op: 'unsubscribe', channels: [topic] }).catch((error) => client.onError(error))
  }

  // forget drops what must not be used after a loss.
  forget() {}

  onError(client, error) {
    super.onError(client, error)
    this.forgetAll(client)
  }

  onClose(client, event) {
    super.onClose(client, event)
    this.forgetAll(client)
  }

  forgetAll(client) {
    for (const topic of Object.keys(client.subscriptions)) this.forget(topic)
  }
}
