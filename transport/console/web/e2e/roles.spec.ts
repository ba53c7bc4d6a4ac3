import {enter, expect, pagePaths, settled, test} from "./fixtures";

for (const role of ["viewer", "trader"] as const) {
  test(`a ${role} sees no button of an owner, and the calls behind them are refused`, async ({page, service}) => {
    test.setTimeout(120_000); // it opens every page
    await enter(page, await service.invite(`${role}@example.com`, role));
    const paths = await pagePaths(page);
    expect(paths, "pages").not.toContain("/console/users");
    for (const path of paths) {
      await page.goto(service.demo.baseUrl + path);
      await settled(page);
      await expect(page.getByRole("button", {name: /^(New (key|user|channel|endpoint)|Revoke .*|Rotate.*|Remove.*)$/}), path).toHaveCount(0);
    }
    for (const [method, call] of [["POST", "keys"], ["POST", "users"], ["POST", "hooks"], ["POST", "endpoints"], ["POST", "accounts"]] as const) {
      const response = await page.request.fetch(`${service.demo.console.url}/api/${call}`, {method, headers: {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}, data: {}});
      expect(response.status(), `${method} ${call}`).toBe(403);
    }
  });
}
