import {defineConfig} from "@playwright/test";

// The binary is built before (`make e2e`). A test that fails is repeated once, with a trace below
// results; one that passes then is reported as flaky.
export default defineConfig({
  testDir: ".",
  outputDir: "results",
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  expect: {timeout: 30_000},
  retries: 1,
  reporter: "list",
  use: {
    viewport: {width: 1440, height: 900},
    trace: "on-first-retry",
    launchOptions: {executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]},
  },
});
