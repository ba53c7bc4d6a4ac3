// The built service on simulated venues that run as a process of their own, for tests.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { venuegate } from 'venuegate-ccxt'
import { Control } from '../../../../venues/simcore/interop/control.js'

const startMs = 60_000
const pollMs = 20
const binary = process.env.VENUEGATE
if (!binary) throw new Error('set VENUEGATE to the path of the built service')

// eventually waits until probe returns something true.
export async function eventually(what, probe, limitMs = 20_000) {
  for (const deadline = Date.now() + limitMs; ; await delay(pollMs)) {
    const found = await probe()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`timeout after ${limitMs} ms, want ${what}`)
  }
}

const readJSON = (file) => readFile(file, 'utf8').then(JSON.parse).catch(() => undefined)
const run = (flags) => spawn(binary, [...flags, '--log-level', 'error'], { stdio: ['ignore', 'ignore', 'inherit'] })

function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}

export class Service {
  listen = '127.0.0.1:0'

  // start starts simulators, whose markets change only by orders and by control calls if they
  // are quiet, and the service on them.
  static async start({ isQuiet = true } = {}) {
    const service = new Service()
    service.dir = await mkdtemp(join(tmpdir(), 'venuegate-'))
    service.sims = join(service.dir, 'sim.json')
    service.simulators = run(['sim', '--out', service.sims, '--ledger', join(service.dir, 'ledger'), ...(isQuiet ? ['--quiet-market'] : [])])
    await eventually('simulators', () => readJSON(service.sims), startMs)
    await service.serve()
    return service
  }

  // serve starts the service, on the address and the data of an earlier run if there was one.
  async serve() {
    const data = join(this.dir, 'data')
    this.process = run(['serve', '--demo', '--sim', this.sims, '--data', data, '--listen', this.listen, '--admin-listen', '127.0.0.1:0'])
    this.demo = await eventually('service', () => readJSON(join(data, 'demo.json')), startMs)
    this.listen = new URL(this.demo.baseUrl).host
  }

  // kill ends the service at once, as kill -9 does.
  async kill() {
    await end(this.process, 'SIGKILL')
    await rm(join(this.dir, 'data', 'demo.json'), { force: true })
  }

  async stop() {
    await end(this.process, 'SIGTERM')
    await end(this.simulators, 'SIGTERM')
    await rm(this.dir, { recursive: true, force: true })
  }

  exchange(exchange, { baseUrl = this.demo.baseUrl, apiKey = this.demo.apiKey, ...options } = {}) {
    return new venuegate({ apiKey, enableRateLimit: false, options: { exchange, baseUrl, ...options } })
  }

  async admin(method, path, body) {
    const headers = { Authorization: `Bearer ${this.demo.adminToken}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${this.demo.adminUrl}/admin/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}, want success`)
    return text && JSON.parse(text)
  }

  // createKey returns a new key of the demo's customer.
  async createKey(scopes = ['read', 'trade', 'account']) {
    const { items } = await this.admin('GET', '/customers')
    return this.admin('POST', '/keys', { customer: items[0].id, name: 'test', scopes })
  }

  control(exchange) {
    return new Control(this.demo.sim[exchange].controlUrl)
  }

  // sent returns the orders at a price that a venue has received.
  async sent(exchange, price) {
    const { orders } = await this.control(exchange).call('GET', '/ledger')
    return orders.filter((row) => Number(row.price) === Number(price))
  }
}

// Proxy can cut connections, before a request or instead of its response.
export class Proxy {
  // script is what happens to the next connections, one entry each: 'cut request', 'cut
  // response' or 'stall'. Afterwards all pass.
  script = []
  connections = 0
  open = new Set()

  static async start(target) {
    const proxy = new Proxy()
    proxy.target = new URL(target)
    proxy.server = createServer((client) => proxy.accept(client))
    await new Promise((resolve) => proxy.server.listen(0, '127.0.0.1', resolve))
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`
    return proxy
  }

  cut() {
    for (const socket of this.open) socket.destroy()
  }

  stop() {
    this.cut()
    this.server.close()
  }

  accept(client) {
    this.connections++
    const action = this.script.shift()
    const service = connect(Number(this.target.port), this.target.hostname)
    for (const socket of [client, service]) {
      this.open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.open.delete(socket)
        client.destroy()
        service.destroy()
      })
    }
    client.on('data', (data) => {
      if (action === 'cut request') return client.destroy()
      return service.write(data.toString('latin1').replace(/^host: .*$/im, `host: ${this.target.host}`), 'latin1')
    })
    service.on('data', (data) => {
      if (action === 'cut response') client.destroy()
      else if (action !== 'stall') client.write(data)
    })
  }
}
