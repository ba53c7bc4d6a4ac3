import {PASSWORD, codeOf, enter, expect, signIn, stepUp, test} from "./fixtures";

test("an invitation leads to a password, a second step and the console, once", async ({page, service, browser}) => {
  const link = await service.invite("ann@example.com", "trader");
  await page.goto(link);
  await page.getByRole("textbox", {name: "Password"}).fill(PASSWORD);
  await page.getByLabel("Once more").fill(PASSWORD);
  await page.getByRole("button", {name: "Go on"}).click();
  const secret = (await page.getByText("Or type:").locator("span").textContent()) ?? "";
  await page.getByRole("textbox", {name: "Code"}).fill(codeOf(secret));
  await page.getByRole("button", {name: "Confirm"}).click();
  const codes = page.getByRole("dialog", {name: "Recovery codes"});
  await codes.getByRole("button", {name: "Reveal"}).click();
  const recovery = ((await codes.getByTestId("secret").textContent()) ?? "").split("\n");
  expect(recovery).toHaveLength(10);
  await codes.getByLabel("I have stored it").check();
  await codes.getByRole("button", {name: "Close"}).click();
  await page.getByRole("heading", {level: 1}).waitFor();

  for (const [attempt, code] of [recovery[0], recovery[0], codeOf(secret, 1)].entries()) {
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${service.demo.console.url}/sign-in`);
    await other.getByLabel("Login").fill("ann@example.com");
    await other.getByRole("textbox", {name: "Password"}).fill(PASSWORD);
    await other.getByRole("button", {name: "Sign in"}).click();
    await other.getByRole("textbox", {name: "Code"}).fill(code ?? "");
    await other.getByRole("button", {name: "Sign in"}).click();
    if (attempt === 1) await expect(other.getByRole("alert")).toContainText("was used before");
    else await expect(other).not.toHaveURL(/sign-in/);
    await other.context().close();
  }

  const late = await (await browser.newContext()).newPage();
  await late.goto(link);
  await late.getByRole("textbox", {name: "Password"}).fill(PASSWORD);
  await late.getByLabel("Once more").fill(PASSWORD);
  await late.getByRole("button", {name: "Go on"}).click();
  await expect(late.getByRole("alert")).toContainText("has been used");
  await late.context().close();
});

test("wrong passwords: the same answer for every login, then a wait; who has signed in before still gets in", async ({page, own}) => {
  await signIn(page, own);
  await page.context().clearCookies();
  const answers = new Set<string>();
  for (let n = 0; n < 10; n++) {
    const response = await page.request.post(`${own.demo.console.url}/api/session`, {
      headers: {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}, data: {login: n % 2 ? "nobody" : "ann@example.com", password: "wrong password"},
    });
    const {error} = await response.json() as {error: {code: string; message: string}};
    answers.add(`${response.status()} ${error.code} ${error.message}`);
  }
  expect([...answers]).toHaveLength(1);
  await page.goto(`${own.demo.console.url}/sign-in`);
  await page.getByLabel("Login").fill("nobody");
  await page.getByRole("textbox", {name: "Password"}).fill("wrong password");
  await page.getByRole("button", {name: "Sign in"}).click();
  await expect(page.getByRole("button", {name: /^Wait \d+ s$/})).toBeDisabled();
});

test("a kill of the service leaves the user signed in; another user's session does not open", async ({page, own, browser}) => {
  await signIn(page, own);
  await page.getByRole("region", {name: "Positions"}).waitFor(); // the scripts of the page are loaded
  await own.kill();
  await own.restart();
  await page.reload();
  await page.getByRole("heading", {level: 1}).waitFor();
  await expect(page).not.toHaveURL(/sign-in/);
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(`${own.demo.console.url}/keys`);
  await expect(stranger).toHaveURL(/sign-in/);
  await stranger.context().close();
});

test("an important act of an older session asks for the password and goes on", async ({page, service}) => {
  await enter(page, await service.invite("owner@example.com", "owner"));
  await page.goto(`${service.demo.console.url}/keys`);
  let isOld = true; // the first answer is that to a session which is older than five minutes
  await page.route("**/console/api/keys", async (route) => {
    if (route.request().method() !== "POST" || !isOld) return route.fallback();
    isOld = false;
    await route.fulfill({status: 403, json: {error: {code: "scope_required", message: "confirm first", requestId: "req_1", details: {required: "step_up"}}}});
  });
  await page.getByRole("button", {name: "New key"}).click();
  await page.getByLabel("Name").fill("later");
  await page.getByRole("button", {name: "Make the key"}).click();
  await stepUp(page, PASSWORD);
  await expect(page.getByRole("dialog", {name: "Key later"})).toBeVisible();
});
