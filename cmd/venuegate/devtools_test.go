package main

import (
	"fmt"
	"testing"

	"github.com/fasthttp/websocket"
)

// devTools controls a page in Chromium by the DevTools protocol.
type devTools struct {
	t    *testing.T
	conn *websocket.Conn
	id   int
	// requests are the URLs that the page has requested, as far as they are known.
	requests []string
}

// openPage opens an empty page in the browser. It records in violations, an array of the
// page, what the page's Content-Security-Policy has blocked.
func openPage(t *testing.T) *devTools {
	t.Helper()
	d := &devTools{t: t, conn: dialDevTools(t, newTarget(t))}
	d.call("Network.enable", nil)
	d.call("Page.enable", nil)
	d.call("Page.addScriptToEvaluateOnNewDocument", record{"source": `window.violations = [];
			addEventListener("securitypolicyviolation", e => violations.push(e.effectiveDirective + " " + e.blockedURI))`})
	return d
}

// dialDevTools connects to the browser or to one of its targets until the end of the test.
func dialDevTools(t *testing.T, path string) *websocket.Conn {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+chromium.address+path, nil)
	if err != nil {
		t.Fatalf("connect to the browser: %v\n%s", err, chromium.out.String())
	}
	response.Body.Close()
	t.Cleanup(func() { conn.Close() })
	return conn
}

// call sends a command and returns its result.
func (d *devTools) call(method string, params record) record {
	d.t.Helper()
	d.id++
	if err := d.conn.WriteJSON(record{"id": d.id, "method": method, "params": params}); err != nil {
		d.t.Fatal(err)
	}
	for {
		var m struct {
			ID     int    `json:"id"`
			Method string `json:"method"`
			Params record `json:"params"`
			Result record `json:"result"`
			Error  record `json:"error"`
		}
		if err := d.conn.ReadJSON(&m); err != nil {
			d.t.Fatal(err)
		}
		if m.Method == "Network.requestWillBeSent" {
			d.requests = append(d.requests, m.Params.text("request", "url"))
		}
		if m.ID == d.id {
			if m.Error != nil {
				d.t.Fatalf("%s: %v", method, m.Error)
			}
			return m.Result
		}
	}
}

// open navigates to a page and waits until it is loaded.
func (d *devTools) open(url string) {
	d.t.Helper()
	d.call("Page.navigate", record{"url": url})
	d.wait(fmt.Sprintf("location.href.startsWith(%q) && document.readyState === 'complete'", url))
}

// evaluate runs a script in the page and returns its value as text.
func (d *devTools) evaluate(script string) string {
	d.t.Helper()
	result := d.call("Runtime.evaluate", record{"expression": "String(" + script + ")"})
	if result["exceptionDetails"] != nil {
		d.t.Fatalf("%s: %v", script, result)
	}
	return result.text("result", "value")
}

// wait waits until a condition of the page holds. An error of its script means that it does
// not: the page may be about to change.
func (d *devTools) wait(condition string) {
	d.t.Helper()
	eventually(d.t, condition, func() bool {
		return d.call("Runtime.evaluate", record{"expression": "String(Boolean(" + condition + "))"}).text("result", "value") == "true"
	})
}

// click waits for an element and clicks it.
func (d *devTools) click(selector string) {
	d.t.Helper()
	d.wait(fmt.Sprintf("(e => e && (e.click(), true))(document.querySelector(%q))", selector))
}
