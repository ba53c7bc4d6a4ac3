package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// openChannels signs in to the console and opens its list of channels.
func openChannels(t *testing.T) (*service, *devTools) {
	t.Helper()
	s, page := openConsole(t)
	page.signIn(s, s.demo.Console.Password)
	page.wait(`location.pathname !== "/console/sign-in"`)
	page.open(s.demo.Console.URL + "/channels")
	return s, page
}

// beginChannel begins the wizard of a channel up to its rules.
func (d *devTools) beginChannel(kind, name string) {
	d.t.Helper()
	d.press("New channel")
	d.click("[role=dialog] input[value=" + kind + "]")
	d.fill("[role=dialog] input[maxlength='64']", name)
	d.press("To the rules")
	d.wait(`document.querySelector("[role=dialog]")?.textContent.includes("2 of 3")`)
}

// last reveals the last secret text of a dialog and returns it.
func (d *devTools) last() string {
	d.t.Helper()
	d.wait(`document.querySelectorAll("[role=dialog]").length === 1 && (e => e && (e.click(), true))([...document.querySelectorAll("[role=dialog] [aria-label=Reveal]")].at(-1))`)
	d.wait(`document.querySelector("[role=dialog] [aria-label=Hide]")`)
	return d.evaluate(`[...document.querySelectorAll("[role=dialog] [data-testid=secret]")].at(-1).textContent`)
}

// secret returns a secret of a dialog by its name.
func (d *devTools) secret(name string) string {
	d.t.Helper()
	label := fmt.Sprintf(`[...document.querySelectorAll("[role=dialog] p")].find(e => e.textContent === %q)`, name)
	d.wait(`(e => e && (e.click(), true))(` + label + `?.nextElementSibling.querySelector("[aria-label=Reveal]"))`)
	d.wait(label + `.nextElementSibling.querySelector("[aria-label=Hide]")`)
	return d.evaluate(label + `.nextElementSibling.querySelector("code").textContent`)
}

// close closes the dialog of secrets, which are nowhere in the page afterwards.
func (d *devTools) close(secrets ...string) {
	d.t.Helper()
	d.wait(`(e => e && (e.click(), true))([...document.querySelectorAll("[role=dialog] label")].find(e => e.textContent === "I have stored it"))`)
	d.press("Close")
	d.wait(`!document.querySelector("[role=dialog]")`)
	for _, secret := range secrets {
		if got := d.evaluate(fmt.Sprintf(`[document.documentElement.outerHTML, location.href, JSON.stringify({...localStorage, ...sessionStorage})].some(text => text.includes(%q))`, secret)); got != "false" {
			d.t.Error("a secret is still in the page, want it gone")
		}
	}
}

// TestConsoleMakesASignedChannel makes a channel whose name is markup, runs the example that
// the page prints, which places an order, and opens the channel's page.
func TestConsoleMakesASignedChannel(t *testing.T) {
	s, page := openChannels(t)
	const name = "<img src=x onerror=violations.push(1)>"
	page.beginChannel("webhook", name)
	page.click("[role=dialog] input[type=checkbox]") // no test mode
	page.press("Make the channel")
	page.wait(`document.querySelector("[role=dialog]")?.textContent.includes("3 of 3")`)
	page.fill("[role=dialog] input[required]", "1000")
	script := page.last()
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	var answer record
	if err := json.Unmarshal(out, &answer); err != nil || answer.text("orderId") == "" {
		t.Fatalf("example printed %s (%v), want the response with an order", out, err)
	}
	s.order(answer.text("orderId"), "filled")
	page.close("whsec_")

	page.wait(fmt.Sprintf(`document.querySelector("h1")?.textContent === %q && location.pathname.startsWith("/console/channels/hook_")`, name))
	page.press("Dry run")
	page.wait(`document.querySelector("[data-testid=verdict]")?.textContent.includes("✗ broken")`) // without a stop loss
	page.press("Remove the channel")
	page.wait(`document.querySelector("[role=dialog]")`)
	page.press("Remove")
	page.wait(`location.pathname === "/console/channels" && document.querySelector("td") && ![...document.querySelectorAll("td")].some(e => e.textContent.includes("<img"))`)
	page.wantOwnOrigin(s)
}

// TestConsoleMakesAChartChannel makes a channel for charts, sends what the platform makes of
// its message, and gives it a new token, which ends the old one.
func TestConsoleMakesAChartChannel(t *testing.T) {
	s, page := openChannels(t)
	page.beginChannel("chart", "charts")
	page.press("Make the channel")
	page.wait(`document.querySelector("[role=dialog]")?.textContent.includes("3 of 3")`)
	address, token := page.secret("Address"), page.secret("channelToken")
	message := strings.NewReplacer(
		"{{ticker}}", "BTCUSDT.P", "{{strategy.order.action}}", "buy", "{{strategy.order.contracts}}", "0.01",
		`{{plot("Stop")}}`, "1000.5", "{{strategy.position_size}}", "-0.01", "{{timenow}}", "2026-11-27T10:00:00Z",
	).Replace(page.last())
	page.close(address, token)
	if status, answer := s.deliver(address, message, "Content-Type", "text/plain"); status != http.StatusAccepted || strings.Contains(message, "{{") {
		t.Errorf("signal %s: status %d, want %d: %v", message, status, http.StatusAccepted, answer)
	}
	wrong := strings.Replace(message, token, "another", 1)
	if status, answer := s.deliver(address, wrong, "Content-Type", "text/plain"); status != http.StatusUnauthorized {
		t.Errorf("signal with a wrong token: status %d, want %d: %v", status, http.StatusUnauthorized, answer)
	}

	page.evaluate(`(most = 0, new MutationObserver(() => most = Math.max(most, document.querySelectorAll("[role=dialog]").length)).observe(document, {childList: true, subtree: true}))`)
	page.press("New token")
	page.press("Make the token")
	next := page.secret("channelToken")
	page.close(next)
	if got := page.evaluate(`most`); got != "1" {
		t.Errorf("dialogs open together = %s, want 1: one closes before the next opens", got)
	}
	for token, want := range map[string]int{token: http.StatusUnauthorized, next: http.StatusAccepted} {
		body := fmt.Sprintf(`{"action":"notify","comment":%q,"channelToken":%q}`, "token for "+fmt.Sprint(want), token)
		if status, answer := s.deliver(address, body, "Content-Type", "text/plain"); status != want {
			t.Errorf("signal after a new token: status %d, want %d: %v", status, want, answer)
		}
	}
	page.wantOwnOrigin(s)
}

// TestConsoleSwitchesTestMode sends a signal in test mode, which no venue receives, and the
// same again after it has ended, which is filled. It also rejects wrong rules at their fields.
func TestConsoleSwitchesTestMode(t *testing.T) {
	s, page := openChannels(t)
	page.open(s.demo.Console.URL + "/channels/" + s.demo.Hook.ID)
	page.press("Test mode on")
	page.wait(`document.body.textContent.includes("Test mode on") && document.body.textContent.includes("End test mode")`)
	const signal = `{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","qty":"0.01","requestId":%q}`
	before := s.writes()
	if got := s.fire(http.StatusAccepted, s.demo.Hook, fmt.Sprintf(signal, "one")).text("status"); got != "test" {
		t.Errorf("status in test mode = %s, want test", got)
	}
	if after := s.writes(); !slices.Equal(after, before) {
		t.Errorf("requests of the venues = %v, want %v as before", after, before)
	}
	page.press("End test mode")
	page.wait(`document.querySelector("[role=dialog]")?.textContent.includes("Positions of any size.")`)
	page.press("End test mode")
	page.wait(`!document.querySelector("[role=dialog]") && document.body.textContent.includes("Test mode off")`)
	if got := s.fire(http.StatusAccepted, s.demo.Hook, fmt.Sprintf(signal, "two")).text("status"); got != "filled" {
		t.Errorf("status after test mode = %s, want filled", got)
	}

	page.fill("[inputmode=numeric]", "100000")
	page.press("Save the rules")
	page.wait(`document.querySelector("[inputmode=numeric]")?.closest(".mantine-TextInput-root")?.textContent.includes("0 to 86400")`)
	page.fill("[inputmode=numeric]", "90")
	page.press("Save the rules")
	eventually(t, "the new rule", func() bool {
		return fmt.Sprint(s.administer(http.StatusOK, http.MethodGet, "hooks/"+s.demo.Hook.ID, "")["rules"].(map[string]any)["maxAgeSec"]) == "90"
	})
	page.wantOwnOrigin(s)
}
