package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// confirm presses the button of the dialog that was opened last.
func (d *devTools) confirm() {
	d.t.Helper()
	d.wait(`(e => e && !e.disabled && (e.click(), true))([...document.querySelectorAll("[role=dialog] form button[type=submit]")].at(-1))`)
}

// pressBeginning waits for a button whose text begins with a text, and clicks it.
func (d *devTools) pressBeginning(text string) {
	d.t.Helper()
	d.wait(fmt.Sprintf(`(e => e && (e.click(), true))([...document.querySelectorAll("button")].find(b => !b.disabled && b.textContent.startsWith(%q)))`, text))
}

// newEndpoint makes an endpoint with the dialog of its page, and returns its id and its secret.
func (d *devTools) newEndpoint(s *service, url, name string) (id, secret string) {
	d.t.Helper()
	d.open(s.demo.Console.URL + "/endpoints")
	d.press("New endpoint")
	d.fill("[role=dialog] input[type=url]", url)
	d.fill("[role=dialog] input[maxlength='64']", name)
	d.press("Make the endpoint")
	secret = d.readSecret()
	for _, e := range s.administer(http.StatusOK, http.MethodGet, "endpoints", "").items() {
		if e.text("url") == url {
			return e.text("id"), secret
		}
	}
	d.t.Fatalf("no endpoint has the address %s, want one", url)
	return "", ""
}

// readSecret reveals the secret in a dialog, and closes it.
func (d *devTools) readSecret() string {
	d.t.Helper()
	d.press("Reveal")
	d.wait(`document.querySelector("[data-testid=secret]")?.textContent.startsWith("whsec_")`)
	secret := d.evaluate(`document.querySelector("[data-testid=secret]").textContent`)
	d.click("[role=dialog] input[type=checkbox]")
	d.press("Close")
	d.wait(`!document.querySelector("[role=dialog]")`)
	return secret
}

// undelivered waits until so many deliveries to an endpoint are undelivered, and returns the
// ids of their events, oldest first.
func (s *service) undelivered(endpoint string, n int) (events []string) {
	s.t.Helper()
	eventually(s.t, fmt.Sprintf("%d undelivered events", n), func() bool {
		events = nil
		for _, d := range s.administer(http.StatusOK, http.MethodGet, "deliveries?status=undelivered&endpoint="+endpoint, "").items() {
			events = append(events, d.text("eventId"))
		}
		return len(events) == n
	})
	slices.Reverse(events)
	return events
}

// postsOf returns what a receiver got of an event.
func (f *flaky) postsOf(event string) (posts []posted) {
	for _, p := range f.came() {
		if p.event == event {
			posts = append(posts, p)
		}
	}
	return posts
}

// TestConsoleDeliveries lets events fail, finds them by filters, reads the attempts and the
// body of one, and resends one, a selection, and all since a time. Each arrives under its
// own id, with the same bytes.
func TestConsoleDeliveries(t *testing.T) {
	t.Setenv("VENUEGATE_DELIVERY_DELAYS", "20ms")
	s, page := openConsole(t)
	receiver := startFlaky(t, http.StatusServiceUnavailable)
	receiver.text = "<img src=x onerror=violations.push(1)> busy\x07"
	page.enter(s)
	endpoint, secret := page.newEndpoint(s, receiver.url, "")
	var events []string
	var since time.Time
	for n := range 4 {
		since = time.Now().Truncate(time.Millisecond) // of the last event
		s.fire(http.StatusAccepted, s.demo.Hook, orderSignal("binance", "BTCUSDT", "buy", "0.01", fmt.Sprintf(`,"requestId":"r%d"`, n)))
		events = s.undelivered(endpoint, n+1)
	}

	list := s.demo.Console.URL + "/deliveries?endpoint=" + endpoint
	rows := func(n int) string { return fmt.Sprintf(`document.querySelectorAll("tbody tr").length === %d`, n) }
	page.open(list + "&status=undelivered&type=order.filled&code=503")
	page.wait(rows(4))
	page.open(list + "&code=2xx")
	page.wait(`document.body.textContent.includes("No delivery matches these filters.")`)
	page.open(list)
	page.wait(rows(4))
	page.evaluate(`(e => (e.value = "none", e.dispatchEvent(new Event("change", {bubbles: true}))))(document.querySelectorAll("[role=search] select")[3])`)
	page.wait(`new URLSearchParams(location.search).get("code") === "none" && document.body.textContent.includes("No delivery matches these filters.")`)

	page.open(list)
	page.press("Open order.filled " + events[0])
	page.wait(`document.querySelector("[data-testid=body]") && document.querySelectorAll("[aria-label=Attempts] li").length === 6`) // and that it was given up
	if got, want := page.evaluate(`document.querySelector("[data-testid=body]").textContent`), receiver.postsOf(events[0])[0].body; got != want {
		t.Errorf("body = %s, want that which was sent: %s", got, want)
	}
	if got, want := page.evaluate(`document.querySelector("[aria-label=Attempts] pre").textContent`), strings.ReplaceAll(receiver.text, "\x07", "␀"); got != want {
		t.Errorf("answer = %q, want the text %q", got, want)
	}
	receiver.answer(http.StatusNoContent)
	page.press("Resend")
	page.confirm()
	page.wait(`document.querySelector("[aria-label=Attempts] li")?.textContent.includes("1. delivered")`)

	page.open(list)
	page.click(fmt.Sprintf(`input[aria-label="Select order.filled %s"]`, events[1]))
	page.press("Resend 1")
	page.confirm()
	eventually(t, "the selected event", func() bool { return len(receiver.postsOf(events[1])) == 6 })
	page.wait(`!document.querySelector("[role=dialog]")`)

	page.open(list + "&from=" + since.UTC().Format("2006-01-02T15:04:05.000Z"))
	page.wait(rows(1))
	page.pressBeginning("Resend all undelivered since ")
	page.confirm()
	eventually(t, "the event since the time", func() bool { return len(receiver.postsOf(events[3])) == 6 })
	if got := s.undelivered(endpoint, 1); got[0] != events[2] {
		t.Errorf("undelivered = %q, want the event before the time: %s", got, events[2])
	}
	for i, want := range []int{6, 6, 5, 6} {
		posts := receiver.postsOf(events[i])
		if len(posts) != want {
			t.Errorf("event %d was sent %d times, want %d", i, len(posts), want)
		}
		for _, p := range posts {
			if err := p.verify(secret); err != nil || p.body != posts[0].body {
				t.Errorf("event %d: signature %v and body %s, want a valid one and the first body %s", i, err, p.body, posts[0].body)
			}
		}
	}
	page.wantNarrow(s, "/deliveries?open="+endpoint+"/"+events[0], "/deliveries", "/endpoints", "/endpoints/"+endpoint)
}

// wantNarrow opens pages at the width of a phone: none is wider.
func (d *devTools) wantNarrow(s *service, paths ...string) {
	d.t.Helper()
	d.call("Emulation.setDeviceMetricsOverride", record{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true})
	for _, path := range paths {
		d.open(s.demo.Console.URL + path)
		d.wait(`document.querySelector("h1") && document.querySelector("td, dd") && !document.querySelector("[aria-label=Loading]")`)
		if got := d.evaluate(`document.documentElement.scrollWidth`); got != "390" {
			d.t.Errorf("width of %s = %s, want 390", path, got)
		}
		d.wantOwnOrigin(s)
	}
}

// TestConsoleEndpoint sends a test event, gives an endpoint a new secret, pauses and resumes
// it, finds out why it was disabled, and removes it.
func TestConsoleEndpoint(t *testing.T) {
	s, page := openConsole(t)
	receiver := startFlaky(t, http.StatusTeapot)
	page.enter(s)
	const name = "{{7*7}}<img src=x onerror=violations.push(1)>"
	endpoint, first := page.newEndpoint(s, receiver.url, name)
	page.open(s.demo.Console.URL + "/endpoints/" + endpoint)
	page.wait(fmt.Sprintf(`document.querySelector("h1").textContent === %q`, name))

	page.press("Send a test event")
	page.wait(`document.querySelector("[data-testid=tested]")?.textContent.includes("not delivered 418")`)
	page.press("New secret")
	page.wait(`(e => (e.value = "0", e.dispatchEvent(new Event("change", {bubbles: true})), true))(document.querySelector("[role=dialog] select"))`)
	page.press("Make the secret")
	second := page.readSecret()
	receiver.answer(http.StatusNoContent)
	page.press("Send a test event")
	page.wait(`document.querySelector("[data-testid=tested]")?.textContent.includes("✓ delivered 204")`)
	posts := receiver.came()
	if posts[0].verify(first) != nil || posts[1].verify(second) != nil || posts[1].verify(first) == nil {
		t.Errorf("test events = %+v, want one signed with the first secret, then one with the second", posts)
	}

	state := func() string {
		e := s.administer(http.StatusOK, http.MethodGet, "endpoints/"+endpoint, "")
		return fmt.Sprint(e["paused"], " ", e["disabled"])
	}
	page.press("Pause")
	page.confirm()
	eventually(t, "the pause", func() bool { return state() == "true " })
	page.wait(`!document.querySelector("[role=dialog]")`)
	page.press("Resume")
	page.confirm()
	eventually(t, "the end of the pause", func() bool { return state() == "false " })

	receiver.answer(http.StatusGone)
	s.fire(http.StatusAccepted, s.demo.Hook, orderSignal("binance", "BTCUSDT", "buy", "0.01", ""))
	eventually(t, "the disabled endpoint", func() bool { return strings.Contains(state(), "410") })
	page.open(s.demo.Console.URL + "/endpoints/" + endpoint)
	page.wait(`[...document.querySelectorAll("[role=status]")].some(e => e.textContent.startsWith("Nothing is sent: ") && e.textContent.includes("410"))`)
	page.press("Remove")
	page.confirm()
	page.wait(`location.pathname === "/console/endpoints"`)
	s.administer(http.StatusNotFound, http.MethodGet, "endpoints/"+endpoint, "")
	page.wantOwnOrigin(s)
}
