// Places orders on the simulated Binance that cannot rest and do not match, with CCXT
// straight to the venue or with plain HTTP through the service: argv is the venue as
// JSON {restUrl, wsUrl, apiKey, apiSecret}. It writes {} when CCXT has read the markets,
// and for each line of standard input {way, clients, each, url, keys} the durations
// {tookMs, allMs} of each order and of all together. It runs in the folder of the
// interop tests, whose connect configures CCXT for the simulator.
import http from 'node:http'
import { createInterface } from 'node:readline'
import { connect, symbol } from './trader.js'
import venue from './venues/binance.js'

const at = JSON.parse(process.argv[1])
const exchange = await connect(venue, at, at)
await exchange.loadMarkets()
exchange.number = Number // as it is unless one asks for text

const agent = new http.Agent({ keepAlive: true })
let requests = 0

const ways = {
  async ccxt() {
    const order = await exchange.createOrder(symbol, 'limit', 'buy', 1, 20000, { timeInForce: 'IOC' })
    if (order.status !== 'expired') throw new Error(`CCXT says an order is ${order.status}`)
  },
  async service(client, n, { url, keys, clients }) {
    const { status } = await post(url, keys[(client + n * clients) % keys.length], {
      exchange: 'binance', symbol: 'BTCUSDT', side: 'buy', type: 'limit', qty: '1', price: '20000', timeInForce: 'ioc',
      requestId: `node${++requests}`,
    })
    if (status !== 'cancelled') throw new Error(`an order is ${status}`)
  },
}

function post(url, key, order) {
  const body = JSON.stringify(order)
  return new Promise((resolve, reject) => {
    const request = http.request(url, {
      agent, method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), Authorization: `Bearer ${key}` },
    }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => { text += part }).on('error', reject)
      response.on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`answered ${response.statusCode} ${text}`))
        else resolve(JSON.parse(text))
      })
    })
    request.on('error', reject).end(body)
  })
}

async function measure(question) {
  const tookMs = []
  const one = async (client) => {
    for (let n = 0; n < question.each; n++) {
      const sent = performance.now()
      await ways[question.way](client, n, question)
      tookMs.push(performance.now() - sent)
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: question.clients }, (_, client) => one(client)))
  return { tookMs, allMs: performance.now() - begun }
}

console.log('{}')
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await measure(JSON.parse(line))))
process.exit(0) // whatever CCXT keeps open
