package exchange_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

func withLength(header, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

func chunked(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
}

// Limits hold for every form of an answer, and what is just below them is accepted.
func TestLimits(t *testing.T) {
	o := options("")
	body := func(extra int) string { return repeated("body ", o.BodyBytesMax+extra) }
	header := func(extra int) string {
		const rest = "HTTP/1.1 200 OK\r\nX: \r\nContent-Length: 2\r\n\r\n"
		return withLength("X: "+repeated("h", o.HeadBytesMax+extra-len(rest))+"\r\n", "{}")
	}
	for name, of := range map[string]func(extra int) string{
		"header":         header,
		"interim header": func(extra int) string { return "HTTP/1.1 103 Early\r\n\r\n" + header(extra) },
		"length":         func(extra int) string { return withLength("", body(extra)) },
		"chunked":        func(extra int) string { return chunked(body(extra)) },
		"until the end":  func(extra int) string { return "HTTP/1.1 200 OK\r\n\r\n" + body(extra) },
		"gzip":           func(extra int) string { return withLength("Content-Encoding: gzip\r\n", gzipped(body(extra))) },
	} {
		for _, extra := range []int{0, 1} {
			v := newVenue(t, oneAnswer(of(extra)))
			c := client(t, options(v.url()))
			if extra > 0 {
				_ = fails(t.Context(), t, c, true)
			} else if got := place(t, c).Body; string(got) != "{}" && string(got) != body(0) {
				t.Errorf("%s: %d bytes, want the whole body", name, len(got))
			}
		}
	}
	v := newVenue(t, oneAnswer(strings.Repeat("HTTP/1.1 103 Early\r\n\r\n", 100)+okAnswer))
	_ = fails(t.Context(), t, client(t, options(v.url())), true)
}

// Compressed answers arrive decompressed, as by net/http, and a spoiled one is none.
func TestGzip(t *testing.T) {
	for name, c := range map[string]struct {
		answer, body string
		fails        bool
	}{
		"gzip":        {answer: withLength("Content-Encoding: GZIP\r\n", gzipped("hello")), body: "hello"},
		"empty":       {answer: withLength("Content-Encoding: gzip\r\n", "")},
		"no content":  {answer: "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"},
		"another":     {answer: withLength("Content-Encoding: br\r\n", "hello"), body: "hello"},
		"not gzip":    {answer: withLength("Content-Encoding: gzip\r\n", "hello"), fails: true},
		"cut":         {answer: withLength("Content-Encoding: gzip\r\n", gzipped("hello")[:20]), fails: true},
		"wrong check": {answer: withLength("Content-Encoding: gzip\r\n", strings.Replace(gzipped("hello"), gzipped("hello")[len(gzipped("hello"))-8:], "12345678", 1)), fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVenue(t, oneAnswer(c.answer))
			o := client(t, options(v.url()))
			if c.fails {
				_ = fails(t.Context(), t, o, true)
				return
			}
			answer := place(t, o)
			if string(answer.Body) != c.body {
				t.Errorf("body %q, want %q", answer.Body, c.body)
			}
			if decoded := name == "gzip"; decoded && len(answer.Header) != 0 {
				t.Errorf("header %v, want none that describes the compressed body", answer.Header)
			}
		})
	}
}

// The header arrives as by net/http.
func TestHeader(t *testing.T) {
	v := newVenue(t, oneAnswer("HTTP/1.1 429 Slow\r\nx-mbx-used-weight-1m: 7\r\nRETRY-AFTER:  3 \r\nSet-Cookie: a\r\nSet-Cookie: b\r\nX-Empty:\r\nContent-Length: 2\r\n\r\n{}"))
	answer := place(t, client(t, options(v.url())))
	h := answer.Header
	if answer.Status != http.StatusTooManyRequests || h.Get("X-Mbx-Used-Weight-1m") != "7" || h.Get("Retry-After") != "3" ||
		fmt.Sprint(h.Values("Set-Cookie")) != "[a b]" || len(h["X-Empty"]) != 1 || len(h["Content-Type"]) != 0 {
		t.Errorf("status %d, header %v, want them as sent", answer.Status, h)
	}
}
