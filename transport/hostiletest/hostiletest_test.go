package hostiletest_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"venuegate/transport/hostiletest"
)

func TestScriptRunsForEachRequestOfAConnection(t *testing.T) {
	answers := []string{"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"}
	url, requests := hostiletest.Serve(t, func(c net.Conn) {
		hostiletest.Write(c, answers[0])
		if answers = answers[1:]; len(answers) == 0 {
			c.Close()
		}
	})
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	for n, want := range []error{nil, io.ErrUnexpectedEOF} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
		if !errors.Is(err, want) || int(requests.Load()) != n+1 {
			t.Errorf("response %d: error %v after %d requests, want %v after %d", n, err, requests.Load(), want, n+1)
		}
	}
}

func TestListenOnAForeignAddressFails(t *testing.T) {
	if _, err := hostiletest.Listen(t, "192.0.2.1:1", func(net.Conn) {}); err == nil {
		t.Error("Listen on an address of the documentation: no error, want one")
	}
}
