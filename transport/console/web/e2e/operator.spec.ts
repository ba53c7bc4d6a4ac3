import {enterAsOperator, expect, pagePaths, signIn, test} from "./fixtures";

test("the public listener has no pages and calls of operators", async ({page, service}) => {
  await signIn(page, service);
  expect((await pagePaths(page)).filter((path) => path.includes("/operator"))).toEqual([]);
  await page.goto(`${service.demo.console.url}/operator/store`);
  await expect(page.getByRole("heading", {name: "No such page"})).toBeVisible();
  for (const path of ["actors", "incidents", "venues", "books", "streams", "store", "config", "customers", "journal/verify", "backup"])
    expect.soft(await page.evaluate(async (path) => (await fetch(`/console/api/${path}`)).status, path), path).toBe(404);
});

test("a part that does not respond fails alone", async ({page, service}) => {
  await enterAsOperator(page, service);
  await page.route("**/console/api/incidents", (route) => route.fulfill({status: 503, json: {error: {code: "maintenance", message: "not now", requestId: "req_1"}}}));
  await page.goto(`${service.demo.adminUrl}/console/operator/actors`);
  await expect(page.getByRole("region", {name: "Newest failures"}).getByRole("alert")).toContainText("maintenance");
  await expect(page.getByRole("treeitem", {name: /^venue\/okx/})).toBeVisible();
});
