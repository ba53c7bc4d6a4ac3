import {defineConfig} from "@playwright/test";

// The binary is built before (`make e2e`). A test that fails keeps its trace below results, without
// pictures, which take longer than the tests.
export default defineConfig({
  testDir: ".",
  outputDir: "results",
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  expect: {timeout: 30_000},
  reporter: "list",
  use: {
    viewport: {width: 1440, height: 900},
    trace: {mode: "retain-on-failure", screenshots: false},
    launchOptions: {executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]},
  },
});
