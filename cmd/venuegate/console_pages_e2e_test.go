package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"venuegate/transport/console/web"
)

// openConsole starts a service with the demo's user and opens its console, or skips the test
// where the pages are not built.
func openConsole(t *testing.T) (*service, *devTools) {
	t.Helper()
	pages, err := web.Load()
	if err != nil {
		t.Fatal(err)
	}
	if pages.Build() == "none" {
		t.Skip("!! the pages of the console are not built; `.ci/console build` builds them")
	}
	s := startService(t, t.TempDir())
	page := openPage(t)
	page.open(s.demo.Console.URL)
	return s, page
}

// fill types text into a field of a page.
func (d *devTools) fill(selector, text string) {
	d.t.Helper()
	d.wait(fmt.Sprintf(`(e => e && (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(e, %q),
		e.dispatchEvent(new Event("input", {bubbles: true}))))(document.querySelector(%q))`, text, selector))
}

// press waits for a button with a text, or with one that is read aloud, and clicks it. While a
// dialog is open, it is one of the dialog.
func (d *devTools) press(text string) {
	d.t.Helper()
	d.wait(fmt.Sprintf(`(e => e && (e.click(), true))([...(document.querySelector("[role=dialog]") ?? document).querySelectorAll("button, [role=menuitem]")]
		.find(b => !b.disabled && (b.textContent === %[1]q || b.ariaLabel === %[1]q)))`, text))
}

// signIn signs the demo's user in.
func (d *devTools) signIn(s *service, password string) {
	d.t.Helper()
	d.fill("input[autocomplete=username]", s.demo.Console.User)
	d.fill("input[autocomplete=current-password]", password)
	d.press("Sign in")
}

// enter signs the demo's user in and waits for the first page.
func (d *devTools) enter(s *service) {
	d.t.Helper()
	d.signIn(s, s.demo.Console.Password)
	d.wait(`document.querySelector("#content h1")`)
}

// TestConsoleInABrowser signs in, makes a key, trades with it, revokes it and signs out. The
// key is nowhere once its dialog is closed, and names are shown as the text that they are.
func TestConsoleInABrowser(t *testing.T) {
	s, page := openConsole(t)
	page.wait(`location.pathname === "/console/sign-in"`)
	page.signIn(s, "another password")
	page.wait(`document.querySelector("[role=alert]")?.textContent.includes("unauthorized")`)
	page.enter(s)
	page.open(s.demo.Console.URL + "/keys")

	const name = "<img src=x onerror=violations.push(1)>"
	page.press("New key")
	page.fill("[role=dialog] input[maxlength='64']", name)
	page.press("Make the key")
	page.wait(`document.querySelectorAll("[role=dialog]").length === 1 && document.querySelector("[data-testid=secret]")`)
	page.press("Reveal")
	page.wait(`document.querySelector("[data-testid=secret]")?.textContent.startsWith("vgk_")`)
	key := page.evaluate(`document.querySelector("[data-testid=secret]").textContent`)
	page.click("[role=dialog] input[type=checkbox]")
	page.press("Close")
	page.wait(`!document.querySelector("[role=dialog]")`)
	if got := page.evaluate(fmt.Sprintf(`document.documentElement.outerHTML.includes(%[1]q) || JSON.stringify({...localStorage, ...sessionStorage}).includes(%[1]q)`, key)); got != "false" {
		t.Error("the key is still in the page, want it gone")
	}
	if got := page.evaluate(`[...document.querySelectorAll("td")].some(e => e.textContent === ` + fmt.Sprintf("%q", name) + `)`); got != "true" {
		t.Error("the name of the key is not shown as text")
	}
	if status := s.statusWith(key); status != http.StatusOK {
		t.Errorf("status with the new key = %d, want %d", status, http.StatusOK)
	}
	page.press("Revoke " + name)
	page.wait(`document.querySelector("[role=dialog]")`)
	page.press("Revoke")
	eventually(t, "the end of the key", func() bool { return s.statusWith(key) == http.StatusUnauthorized })

	page.press(s.demo.Console.User)
	page.press("Sign out")
	page.wait(`location.pathname === "/console/sign-in"`)
	page.open(s.demo.Console.URL + "/keys")
	page.wait(`location.pathname === "/console/sign-in"`)
	page.wantOwnOrigin(s)
}

// TestConsoleOnAPhone opens every page at the width of a phone: none is wider.
func TestConsoleOnAPhone(t *testing.T) {
	s, page := openConsole(t)
	page.call("Emulation.setDeviceMetricsOverride", record{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true})
	page.enter(s)
	s.someOrders()
	for _, path := range []string{"/overview", "/orders?status=all", "/fills", "/positions", "/keys", "/channels", "/journal", "/users", "/settings"} {
		page.open(s.demo.Console.URL + path)
		page.wait(`document.querySelector("h1") && document.querySelector("td") && !document.querySelector("[aria-label=Loading]")`)
		if got := page.evaluate(`document.documentElement.scrollWidth`); got != "390" {
			t.Errorf("width of %s = %s, want 390", path, got)
		}
		page.wantOwnOrigin(s)
	}
}

// wantOwnOrigin checks that the page has loaded nothing from elsewhere and nothing that its
// policy blocks.
func (d *devTools) wantOwnOrigin(s *service) {
	d.t.Helper()
	if got := d.evaluate(`violations.join()`); got != "" {
		d.t.Errorf("the policy has blocked %s, want nothing", got)
	}
	for _, url := range d.requests {
		if !strings.HasPrefix(url, s.demo.BaseURL+"/") && !strings.HasPrefix(url, "data:") {
			d.t.Errorf("request of %s, want none of another origin", url)
		}
	}
}

// statusWith returns the status of a call with an API key.
func (s *service) statusWith(key string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.demo.BaseURL+"/v1/account", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode
}
