package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
)

// pageScript calls the service and posts to the page's own server what it got. Each call ends
// within a time limit, because a browser does not say why it withholds a response.
const pageScript = `<!doctype html><title>page</title><script>
const base = %q, key = %q, body = %q;
const attempt = (name, promise) => Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject("timeout"), 20000))])
  .then(value => [name, value], error => [name, "error: " + error]);
const time = fetch(base + "/v1/time").then(r => r.json()).then(o => o.serverTime ? "ok" : "no time");
const order = fetch(base + "/v1/orders", {method: "POST", body,
  headers: {"Authorization": "Bearer " + key, "Content-Type": "application/json"}})
  .then(r => r.json().then(o => r.status + " " + o.symbol + " " + (r.headers.get("X-Request-Id") ? "id" : "no id")));
const stream = new Promise((resolve, reject) => {
  const ws = new WebSocket(base.replace("http", "ws") + "/v1/stream");
  ws.onerror = () => reject("refused");
  ws.onopen = () => ws.send(JSON.stringify({op: "auth", token: key}));
  ws.onmessage = e => {
    const m = JSON.parse(e.data);
    if (m.op === "auth") ws.send(JSON.stringify({op: "subscribe", channels: ["book:binance:BTCUSDT:10"]}));
    if (m.type === "snapshot") resolve(m.channel + " " + ws.extensions.split(";")[0]);
  };
});
Promise.all([attempt("time", time), attempt("order", order), attempt("stream", stream)])
  .then(results => fetch("/result", {method: "POST", body: JSON.stringify(Object.fromEntries(results))}));
</script>`

// pageServer serves a page of an origin of its own, and receives its results.
type pageServer struct {
	*httptest.Server
	html    atomic.Value // a string
	results chan map[string]string
}

func newPageServer(t *testing.T) *pageServer {
	p := &pageServer{results: make(chan map[string]string, 1)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/result" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, p.html.Load())
			return
		}
		var results map[string]string
		if err := json.NewDecoder(r.Body).Decode(&results); err == nil {
			p.results <- results
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// open opens the page in a browser and returns its results.
func (p *pageServer) open(t *testing.T) map[string]string {
	t.Helper()
	openPage(t).call("Page.navigate", record{"url": p.URL + "/"})
	select {
	case results := <-p.results:
		return results
	case <-time.After(2 * waitMax):
		t.Fatal("no results of the page")
		return nil
	}
}

// TestPagesInABrowser opens a page of an allowed origin and one of another origin in Chromium.
func TestPagesInABrowser(t *testing.T) {
	allowed, other := newPageServer(t), newPageServer(t)
	s := startService(t, t.TempDir(), "--config", writeFile(t, fmt.Sprintf(
		"streams: {origins: [%q], compression: true}\ncors: {origins: [%q]}\n", allowed.URL, allowed.URL)))
	order := func(id string) string {
		return fmt.Sprintf(`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01","requestId":%q}`, id)
	}
	allowed.html.Store(fmt.Sprintf(pageScript, s.demo.BaseURL, s.demo.APIKey, order("allowed")))
	other.html.Store(fmt.Sprintf(pageScript, s.demo.BaseURL, s.demo.APIKey, order("other")))
	got := allowed.open(t)
	for name, want := range map[string]string{"time": "ok", "order": "201 BTCUSDT id", "stream": "book:binance:BTCUSDT:10 permessage-deflate"} {
		if got[name] != want {
			t.Errorf("%s of the allowed page = %q, want %q", name, got[name], want)
		}
	}
	for name, got := range other.open(t) {
		if !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s of the other page = %q, want an error", name, got)
		}
	}
	if placed := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all&requestId=other", "").items(); len(placed) > 0 {
		t.Errorf("orders of the other page = %v, want none", placed)
	}
}

// TestOriginsAndCompressionOfTheStream connects as a browser does, and sends a message that is
// small until it is decompressed.
func TestOriginsAndCompressionOfTheStream(t *testing.T) {
	const page = "https://app.example.com"
	s := startService(t, t.TempDir(), "--config", writeFile(t, "streams: {origins: ['"+page+"'], compression: true}\n"))
	dial := func(origin string, compress bool) (*websocket.Conn, *http.Response, error) {
		dialer := websocket.Dialer{HandshakeTimeout: waitMax, EnableCompression: compress}
		conn, response, err := dialer.DialContext(t.Context(), s.demo.WSURL, http.Header{"Origin": {origin}})
		if response != nil {
			response.Body.Close()
		}
		if conn != nil {
			t.Cleanup(func() { conn.Close() })
		}
		return conn, response, err
	}
	for _, origin := range []string{"https://evil.example", "http://app.example.com", "null"} {
		if _, response, err := dial(origin, false); err == nil || response.StatusCode != http.StatusForbidden {
			t.Errorf("stream for a page of %s: %v, %v, want 403", origin, response, err)
		}
	}
	// The console may be open under either name of this machine.
	for _, origin := range []string{s.demo.BaseURL, strings.Replace(s.demo.BaseURL, "127.0.0.1", "localhost", 1)} {
		if _, _, err := dial(origin, false); err != nil {
			t.Errorf("stream for a page of %s: %v, want it open", origin, err)
		}
	}
	for _, compress := range []bool{false, true} {
		_, response, err := dial(page, compress)
		if err != nil {
			t.Fatal(err)
		}
		if negotiated := response.Header.Get("Sec-WebSocket-Extensions") != ""; negotiated != compress {
			t.Errorf("extensions = %v for a client that offers compression = %t", response.Header, compress)
		}
	}
	conn, _, err := dial(page, true)
	if err != nil {
		t.Fatal(err)
	}
	k := &socket{t: t, conn: conn}
	k.write(fmt.Sprintf(`{"op":"auth","token":%q}`, s.demo.APIKey))
	k.until("the authentication", func(m record) bool { return m.text("op") == "auth" })
	k.write(`{"op":"ping","pad":"` + strings.Repeat("x", api.StreamFrameBytesMax/2) + `"}`)
	k.until("the answer to a message within the limit", func(m record) bool { return m.text("op") == "pong" })
	bomb := []byte(`{"op":"ping","pad":"` + strings.Repeat("x", 200*api.StreamFrameBytesMax) + `"}`)
	if n := deflatedSize(t, bomb); n > api.StreamFrameBytesMax {
		t.Fatalf("the message has %d bytes, want at most %d, so that its frame is within the limit", n, api.StreamFrameBytesMax)
	}
	k.write(string(bomb))
	if code := k.closeCode(); code != websocket.CloseMessageTooBig {
		t.Errorf("close code = %d, want %d", code, websocket.CloseMessageTooBig)
	}
}

func deflatedSize(t *testing.T, message []byte) int {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed) // the level of the client
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(message)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Len()
}
