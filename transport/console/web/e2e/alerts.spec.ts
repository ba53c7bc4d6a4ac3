import {enter, expect, signIn, test} from "./fixtures";

test("an alert is made beside the live price, fires, is armed again and removed", async ({page, service}) => {
  await signIn(page, service);
  await page.goto(`${service.demo.console.url}/alerts`);
  await expect(page.getByTestId("last")).toHaveText(/^\d[\d\s.]*$/);
  await expect(page.getByLabel("Current price").getByText("live", {exact: true})).toBeVisible();
  await page.getByLabel("Fires when it").selectOption("above");
  await page.getByLabel("Value").fill("1,5");
  await expect(page.getByText("Use a point for decimals")).toBeVisible();
  await page.getByLabel("Value").fill("1.5");
  await expect(page.getByText("the alert fires at once")).toBeVisible();
  await page.getByLabel("Comment").fill("<img src=x onerror=alert(1)>");
  await page.getByRole("button", {name: "Make the alert"}).click();

  const alerts = page.getByRole("table", {name: "Alerts", exact: true}).getByRole("row", {name: /above 1\.5/});
  await expect(alerts).toContainText("✓ fired");
  const firing = page.getByRole("table", {name: "Alerts that fired"}).getByRole("row", {name: /above 1\.5/});
  await expect(firing).toContainText("<img src=x onerror=alert(1)>");
  await expect(firing.getByRole("cell").nth(2)).toHaveText(/^\d[\d\s.]*$/);

  await page.getByLabel("Fires when it").selectOption("crosses_above");
  await page.getByLabel("Value").fill("9000000.25");
  await expect(page.getByText("the alert fires at once")).toBeHidden();
  await page.getByLabel("Fire each time").check();
  await page.getByRole("button", {name: "Make the alert"}).click();
  const far = page.getByRole("row", {name: /rises above 9\s000\s000\.25/});
  await expect(far).toContainText("● armed");
  await expect(far).toContainText("each time");
  await far.getByRole("button", {name: /^Pause/}).click();
  await expect(far).toContainText("paused");
  await far.getByRole("button", {name: /^Arm/}).click();
  await expect(far).toContainText("● armed");
  await far.getByRole("button", {name: /^Remove/}).click();
  await page.getByRole("dialog").getByRole("button", {name: "Remove"}).click();
  await expect(far).toHaveCount(0);
});

test("a viewer sees alerts, and may not make one", async ({page, service}) => {
  await enter(page, await service.invite("watcher@example.com", "viewer"));
  await page.goto(`${service.demo.console.url}/alerts`);
  await expect(page.getByRole("region", {name: "Fired"})).toBeVisible();
  await expect(page.getByRole("button", {name: /^(Make the alert|Arm|Pause|Remove)/})).toHaveCount(0);
  const response = await page.request.post(`${service.demo.console.url}/api/alerts`, {headers: {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}, data: {}});
  expect(response.status()).toBe(403);
});
