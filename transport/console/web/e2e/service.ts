import {execFile, spawn, type ChildProcess} from "node:child_process";
import {mkdtemp, readFile, rm, stat} from "node:fs/promises";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {promisify} from "node:util";

/** The binary under test. */
export const BINARY = resolve(process.env["VENUEGATE"] ?? "../../../../bin/venuegate");
const START_SECONDS = 30;

/** What demo.json says about a running demo. */
export interface Demo {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly apiKey: string;
  readonly chart: {readonly url: string; readonly channelToken: string};
  /** The simulated venues; the address of each takes faults and has the orders that it was sent. */
  readonly sim: Readonly<Record<"binance" | "bybit" | "okx", {readonly controlUrl: string}>>;
  readonly console: {readonly url: string; readonly user: string; readonly password: string};
}

/** Settings of the service, as environment variables. */
export type Settings = Readonly<Record<string, string>>;

/** Service is a demo: the built binary with simulated venues, a data directory and ports of its own. */
export class Service {
  private constructor(readonly data: string, private readonly settings: Settings, private process: ChildProcess, public demo: Demo) {}

  static async start(settings: Settings = {}, binary = BINARY): Promise<Service> {
    const data = await mkdtemp(join(tmpdir(), "venuegate-e2e-"));
    return new Service(data, settings, ...await serve(binary, data, "127.0.0.1:0", settings));
  }

  /** Kills the process (SIGKILL). */
  async kill(): Promise<void> {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await ended;
  }

  /** Serves the data directory again, at the same address. */
  async restart(binary = BINARY): Promise<void> {
    [this.process, this.demo] = await serve(binary, this.data, new URL(this.demo.baseUrl).host, this.settings);
  }

  /** Ends the process and removes its data. */
  async close(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    await rm(this.data, {recursive: true, force: true});
  }

  /** Sends a call of the REST API with the demo's key, and returns the status and the body of its response. */
  async api<T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<{readonly status: number; readonly body: T}> {
    const response = await fetch(`${this.demo.baseUrl}/v1/${path}`, {
      method, headers: {"Authorization": `Bearer ${this.demo.apiKey}`, "Content-Type": "application/json"}, body: body === undefined ? null : JSON.stringify(body),
    });
    return {status: response.status, body: await response.json() as T};
  }

  /** Scripts a fault of a simulated venue; without one it clears them. */
  async fault(venue: "binance" | "bybit" | "okx", fault?: object): Promise<void> {
    const response = await fetch(`${this.demo.sim[venue].controlUrl}/faults`, fault
      ? {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(fault)} : {method: "DELETE"});
    if (!response.ok) throw new Error(`faults of ${venue}: ${response.status} ${await response.text()}`);
  }

  /** Returns the orders that a simulated venue was sent. */
  async ledger(venue: "binance" | "bybit" | "okx"): Promise<readonly {readonly status: string; readonly price: string; readonly qty: string}[]> {
    const response = await fetch(`${this.demo.sim[venue].controlUrl}/ledger`);
    return (await response.json() as {orders: {status: string; price: string; qty: string}[]}).orders;
  }

  /** Runs a command of the operator's and returns what it prints. */
  async command(...args: string[]): Promise<string> {
    return (await promisify(execFile)(BINARY, [...args, "--data", this.data])).stdout;
  }

  /** Creates a data directory from a backup, and removes it again. */
  async restore(backup: string, into: string): Promise<void> {
    try {
      await promisify(execFile)(BINARY, ["restore", backup, "--data", into]);
    } finally {
      await rm(into, {recursive: true, force: true});
    }
  }

  /** Controls a simulated venue, and returns the body of the response. */
  async control<T>(exchange: keyof Demo["sim"], path: string, body: object): Promise<T> {
    const response = await fetch(`${this.demo.sim[exchange].controlUrl}/${path}`, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
    if (!response.ok) throw new Error(`${path} of ${exchange}: ${response.status} ${await response.text()}`);
    return await response.json() as T;
  }

  /** Returns the link to set the password of a new user. */
  async invite(login: string, role: "viewer" | "trader" | "owner"): Promise<string> {
    const customers = await fetch(`${this.demo.adminUrl}/admin/v1/customers`, {
      headers: {Authorization: `Bearer ${(await readFile(join(this.data, "admin.token"), "utf8")).trim()}`},
    });
    const {items: [customer]} = await customers.json() as {items: {id: string}[]};
    const printed = await this.command("console", "invite", "--customer", customer?.id ?? "", "--login", login, "--role", role);
    return printed.split("\n")[0] ?? "";
  }
}

/** Venues are the simulated venues as a process of their own, which outlives a service. */
export class Venues {
  private constructor(private readonly folder: string, private readonly process: ChildProcess, readonly settings: Settings) {}

  /** Starts them. A service with their settings trades on them. */
  static async start(): Promise<Venues> {
    const folder = await mkdtemp(join(tmpdir(), "venuegate-e2e-sim-"));
    const file = join(folder, "sim.json");
    const child = spawn(BINARY, ["sim", "--listen", "127.0.0.1:0", "--out", file], {stdio: "ignore"});
    for (let waited = 0; waited < START_SECONDS * 10 && child.exitCode === null; waited++) {
      if (await written(file) !== "") return new Venues(folder, child, {VENUEGATE_SIM: file});
      await new Promise((done) => setTimeout(done, 100));
    }
    child.kill("SIGKILL");
    throw new Error(`the simulated venues did not start in ${START_SECONDS} s`);
  }

  async close(): Promise<void> {
    this.process.kill("SIGKILL");
    await rm(this.folder, {recursive: true, force: true});
  }
}

// serve starts the binary and waits until it has described itself.
async function serve(binary: string, data: string, listen: string, settings: Settings): Promise<[ChildProcess, Demo]> {
  const file = join(data, "demo.json");
  const before = await written(file);
  const child = spawn(binary, ["serve", "--demo", "--data", data, "--listen", listen, "--admin-listen", "127.0.0.1:0"], {stdio: ["ignore", "pipe", "pipe"], env: {...process.env, ...settings}});
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => { output = (output + chunk.toString()).slice(-4096); });
  for (let waited = 0; waited < START_SECONDS * 10; waited++) {
    if (child.exitCode !== null) throw new Error(`the service ended:\n${output}`);
    const now = await written(file); // the file of an earlier run is removed first
    if (now !== "" && now !== before) return [child, JSON.parse(await readFile(file, "utf8")) as Demo];
    await new Promise((done) => setTimeout(done, 100));
  }
  child.kill("SIGKILL");
  throw new Error(`the service did not start in ${START_SECONDS} s:\n${output}`);
}

async function written(file: string): Promise<string> {
  try {
    const {ino, mtimeMs} = await stat(file);
    return `${ino} ${mtimeMs}`;
  } catch {
    return "";
  }
}
