import {execFile} from "node:child_process";
import {chmod, mkdtemp, readFile, rm, writeFile} from "node:fs/promises";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {promisify} from "node:util";
import {expect, signIn, test} from "./fixtures";
import {BINARY, Service} from "./service";

// A binary in which a text of the pages is another of the same length: to the program it is another build.
async function rebuilt(folder: string, from: string, to: string): Promise<string> {
  expect(to).toHaveLength(from.length);
  const path = join(folder, "venuegate");
  const content = await readFile(BINARY);
  let found = 0;
  for (let at = content.indexOf(from); at >= 0; at = content.indexOf(from, at + 1)) {
    content.write(to, at);
    found++;
  }
  expect(found, `${from} in the binary`).toBeGreaterThan(0);
  await writeFile(path, content);
  await chmod(path, 0o755);
  return path;
}

test("a page of the old build shows that a new version runs, and keeps what was typed", async ({page, own}) => {
  test.setTimeout(120_000);
  const folder = await mkdtemp(join(tmpdir(), "venuegate-build-"));
  try {
    await page.clock.install();
    await signIn(page, own);
    await page.goto(`${own.demo.console.url}/keys`);
    await page.getByRole("button", {name: "New key"}).click();
    await page.getByLabel("Name").fill("half typed");
    const digest = (await readFile("../dist/BUILD", "utf8")).trim();
    await own.kill();
    await own.restart(await rebuilt(folder, digest, "0123456789abcdef"));
    await page.clock.runFor(90_000); // the session is read every half minute
    await expect(page.getByText("A new version runs here.")).toBeAttached();
    await expect(page.getByLabel("Name")).toHaveValue("half typed");
    await page.keyboard.press("Escape");
    await page.getByRole("status").getByRole("button", {name: "Reload"}).click();
    await expect(page.getByRole("button", {name: "New key"})).toBeVisible();
    await expect(page.getByText("A new version runs here.")).toHaveCount(0);

    await page.evaluate(() => { (window as {mark?: number}).mark = 1; });
    await own.kill();
    await own.restart();
    await page.clock.runFor(90_000); // nothing is typed: it reloads by itself
    await expect.poll(() => page.evaluate(() => "mark" in window).catch(() => true), {message: "the old page is there"}).toBe(false);
    await expect(page.getByText("A new version runs here.")).toHaveCount(0);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
});
test("a binary without the console describes how to build it, and serves all else", async ({request}) => {
  test.setTimeout(300_000); // it is compiled
  const folder = await mkdtemp(join(tmpdir(), "venuegate-build-"));
  const binary = join(folder, "venuegate");
  const overlay = join(folder, "overlay.json");
  await writeFile(overlay, JSON.stringify({Replace: {[resolve("../dist/index.html")]: ""}})); // as if it were not there
  await promisify(execFile)("go", ["build", "-overlay", overlay, "-o", binary, "./cmd/venuegate"], {cwd: resolve("../../../..")});
  const service = await Service.start({}, binary);
  try {
    for (const path of ["", "/keys"]) {
      const response = await request.get(service.demo.console.url + path);
      expect(response.status()).toBe(503);
      expect(await response.text()).toContain("This binary was built without the console. `make build` builds it where Node 20.19 or newer and npm are. The documentation is at /docs.");
    }
    expect((await request.get(`${service.demo.baseUrl}/docs`)).status()).toBe(200);
  } finally {
    await service.close();
    await rm(folder, {recursive: true, force: true});
  }
});
