package exchange

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// An answer that http.ReadResponse refuses is refused; one that is accepted has the same
// status, header and body, and the connection is kept only if net/http would keep it.
func FuzzDecode(f *testing.F) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
		"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n{}",
		"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n2;a=b\r\n{}\r\n0\r\nX-A: 1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n{}",
		"HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: x, CLOSE\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
		"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\n Content-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nA B: 1\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}tail",
		"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
		"HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\nHTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\nX: \x00\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nA:\nB:\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 O\rK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end",
	} {
		f.Add([]byte(answer))
	}
	free := codecs{headBytesMax: 1 << 10}
	f.Fuzz(func(t *testing.T, wire []byte) {
		x := free.get()
		defer free.put(x)
		ours, keep, err := x.decode(bytes.NewReader(wire), 1<<10)
		if err != nil {
			return
		}
		rest := bufio.NewReader(bytes.NewReader(wire))
		theirs, body, err := readResponse(rest)
		if err != nil {
			t.Fatalf("answer %+v, want the error %v of net/http", ours, err)
		}
		if ours.Status != theirs.StatusCode || string(ours.Body) != string(body) && !strings.EqualFold(theirs.Header.Get("Content-Encoding"), "gzip") {
			t.Errorf("status %d, body %q, want %d, %q of net/http", ours.Status, ours.Body, theirs.StatusCode, body)
		}
		for name, values := range theirs.Header {
			derived := name == "Cache-Control" && theirs.Header.Get("Pragma") != "" // net/http adds it
			if !slices.Equal(ours.Header[name], values) && !derived && !strings.HasPrefix(name, "Content-") {
				t.Errorf("header %s %q, want %q of net/http", name, ours.Header[name], values)
			}
		}
		if left := rest.Buffered(); keep && (theirs.Close || left > 0 || theirs.StatusCode < http.StatusOK) {
			t.Errorf("the connection is kept, want its end: net/http closes %v, %d bytes left", theirs.Close, left)
		}
	})
}

// readResponse reads an answer as net/http does.
func readResponse(r *bufio.Reader) (*http.Response, []byte, error) {
	for {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return nil, nil, err
		}
		if s := response.StatusCode; s < http.StatusContinue || s >= http.StatusOK || s == http.StatusSwitchingProtocols {
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			return response, body, err
		}
	}
}
