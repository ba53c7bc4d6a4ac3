// The built service on simulated venues that run as a process of their own, for tests.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientOptions, type Exchange } from "venuegate";

const startTimeoutMs = 60_000;
const pollMs = 20;

const binary = process.env.VENUEGATE;
if (!binary) throw new Error("set VENUEGATE to the path of the built service");

interface SimVenue { controlUrl: string; apiKey: string }

/** What `demo.json` contains. */
interface Demo {
  baseUrl: string; wsUrl: string; adminUrl: string; adminToken: string; apiKey: string; readKey: string;
  hook: { id: string; url: string; secret: string }; chart: { url: string; channelToken: string };
  sim: Record<Exchange, SimVenue>;
}

export interface LedgerRow {
  venueOrderId: string; clientOrderId: string; account: string; symbol: string; side: "buy" | "sell";
  status: string; filledQty: string; baseQty: string; acceptedAt: string | null; refusal: string | null;
}

/** Waits until a function returns something other than undefined and false. */
export async function eventually<T>(what: string, probe: () => T | Promise<T>, limitMs = 20_000): Promise<Exclude<T, undefined | false>> {
  for (const deadline = Date.now() + limitMs; ; await delay(pollMs)) {
    const found = await probe();
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    if (Date.now() > deadline) throw new Error(`timeout after ${limitMs} ms, want ${what}`);
  }
}

async function readJSON<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined; // not written yet
  }
}

async function call(method: string, url: string, body?: object, token?: string): Promise<any> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}, want success`);
  return text && JSON.parse(text);
}

export class Service {
  demo!: Demo;
  private process: ChildProcess | null = null;
  private listen = "127.0.0.1:0";

  private constructor(private readonly dir: string, private readonly simulators: ChildProcess) {}

  /** The file that describes the demo. */
  get demoFile(): string { return join(this.dir, "data", "demo.json"); }

  /** Starts simulators whose books change only by orders and by control calls, and the service on them. */
  static async start({ quiet = true } = {}): Promise<Service> {
    const dir = await mkdtemp(join(tmpdir(), "venuegate-"));
    const flags = ["sim", "--out", join(dir, "sim.json"), "--ledger", join(dir, "ledger"), "--log-level", "error"];
    const simulators = run([...flags, ...(quiet ? ["--quiet-market"] : [])]);
    await eventually("simulators", () => readJSON(join(dir, "sim.json")), startTimeoutMs);
    const service = new Service(dir, simulators);
    await service.serve();
    return service;
  }

  /** Starts the service, on the address and the data of an earlier run if there was one. */
  async serve(): Promise<void> {
    this.launch();
    this.demo = await eventually("service", () => readJSON<Demo>(this.demoFile), startTimeoutMs);
    this.listen = new URL(this.demo.baseUrl).host;
  }

  /** Starts the process of the service without waiting until it is ready. */
  launch(): void {
    const { dir, listen } = this;
    this.process = run(["serve", "--demo", "--sim", join(dir, "sim.json"), "--data", join(dir, "data"),
      "--listen", listen, "--admin-listen", "127.0.0.1:0", "--log-level", "error"]);
  }

  /** Ends the service at once, as kill -9 does. */
  async kill(): Promise<void> {
    await end(this.process, "SIGKILL");
    await rm(this.demoFile, { force: true });
    this.process = null;
  }

  /** Shuts the service down, so that it can be served again. */
  async shutDown(): Promise<void> {
    await end(this.process, "SIGTERM");
    await rm(this.demoFile, { force: true });
  }

  async stop(): Promise<void> {
    await end(this.process, "SIGTERM");
    await end(this.simulators, "SIGTERM");
    await rm(this.dir, { recursive: true, force: true });
  }

  client(options: Partial<ClientOptions> = {}): Client {
    return new Client({ baseUrl: this.demo.baseUrl, apiKey: this.demo.apiKey, ...options });
  }

  admin(method: string, path: string, body?: object): Promise<any> {
    return call(method, this.demo.adminUrl + "/admin/v1" + path, body, this.demo.adminToken);
  }

  /** Returns a new key of the demo's customer. */
  async createKey(scopes = ["read", "trade", "account"]): Promise<{ id: string; apiKey: string }> {
    const { items } = await this.admin("GET", "/customers");
    return this.admin("POST", "/keys", { customer: items[0].id, name: "test", scopes });
  }

  /** Returns the account of the demo's customer on a venue. */
  async account(exchange: Exchange): Promise<{ id: string }> {
    const { items } = await this.admin("GET", "/accounts");
    return items.find((one: { exchange: string }) => one.exchange === exchange);
  }

  control(exchange: Exchange, method: string, path: string, body?: object): Promise<any> {
    return call(method, this.demo.sim[exchange].controlUrl + path, body);
  }

  /** Runs work while a fault is injected into a simulated venue. */
  async during<T>(exchange: Exchange, fault: object, work: () => Promise<T>): Promise<T> {
    await this.control(exchange, "POST", "/faults", fault);
    try {
      return await work();
    } finally {
      await this.control(exchange, "DELETE", "/faults");
    }
  }

  /** Returns every order that a simulated venue has ever accepted or refused. */
  async ledger(exchange: Exchange): Promise<LedgerRow[]> {
    return (await this.control(exchange, "GET", "/ledger")).orders;
  }
}

function run(flags: string[]): ChildProcess {
  return spawn(binary!, flags, { stdio: ["ignore", "ignore", "inherit"] });
}

function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}

/** A proxy that can cut connections, before a request or instead of its response. */
export class Proxy {
  /** What happens to the next connections, one entry each; afterwards all pass. */
  readonly script: ("cut request" | "cut response" | "stall")[] = [];
  /** While set, nothing is forwarded, as on a connection whose other end has disappeared. */
  frozen = false;
  /** How many connections were made. */
  connections = 0;
  private readonly open = new Set<Socket>();
  private readonly server = createServer((client) => this.accept(client));

  private constructor(private readonly target: URL) {}

  static async start(target: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(target));
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.server.close();
  }

  private accept(client: Socket): void {
    this.connections++;
    const action = this.script.shift();
    const service = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, service]) {
      this.open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.open.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    client.on("data", (data) => {
      if (this.frozen) return;
      if (action === "cut request") client.destroy();
      // A cut or a time-out ends the connection, so that an action is about one request.
      else service.write(String(data.toString("latin1")).replace(/^host: .*$/im, `host: ${this.target.host}`), "latin1");
    });
    service.on("data", (data) => {
      if (action === "cut response") client.destroy();
      else if (action !== "stall" && !this.frozen) client.write(data);
    });
  }
}
