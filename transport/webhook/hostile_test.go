package webhook_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"venuegate/persistence"
	"venuegate/transport/hostiletest"
	"venuegate/transport/webhook"
)

func TestAttemptWithAHostileReceiverIsBounded(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	for _, c := range []struct {
		name   string
		script func(net.Conn)
		code   int
		ok     bool
	}{
		{"closes", func(c net.Conn) { c.Close() }, 0, false},
		{"resets", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); c.Close() }, 0, false},
		{"resets within the headers", func(c net.Conn) { hostiletest.Write(c, head); _ = c.(*net.TCPConn).SetLinger(0); c.Close() }, 0, false},
		{"sends nothing", func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }, 0, false},
		{"sends another protocol", func(c net.Conn) { hostiletest.Write(c, "SSH-2.0-OpenSSH\r\n\r\n") }, 0, false},
		{"sends half a status", func(c net.Conn) { hostiletest.Write(c, "HTTP/1.1 20"); c.Close() }, 0, false},
		{"sends headers without end", func(c net.Conn) {
			hostiletest.Write(c, head)
			for hostiletest.Write(c, "X-More: "+strings.Repeat("x", 4000)+"\r\n") {
			}
		}, 0, false},
		{"sends terminal escapes", func(c net.Conn) {
			hostiletest.Write(c, head+"\x1b]0;owned\a\u202e\u009b31m no colon\r\n\r\n")
			c.Close()
		}, 0, false},
		{"sends one huge header", func(c net.Conn) { hostiletest.Write(c, head+"X-More: "+strings.Repeat("x", 1<<20)+"\r\n\r\n") }, 0, false},
		{"sends headers slowly", func(c net.Conn) {
			for hostiletest.Write(c, "H") {
				time.Sleep(20 * time.Millisecond)
			}
		}, 0, false},
		{"sends continue without end", func(c net.Conn) {
			for hostiletest.Write(c, "HTTP/1.1 100 Continue\r\n\r\n") {
			}
		}, 0, false},
		{"sends a body without end", func(c net.Conn) {
			hostiletest.Write(c, head+"\r\n")
			for hostiletest.Write(c, strings.Repeat("x", 32<<10)) {
			}
		}, 200, true},
		{"sends an error without end", func(c net.Conn) {
			hostiletest.Write(c, "HTTP/1.1 500 Oops\r\n\r\n")
			for hostiletest.Write(c, strings.Repeat("x", 32<<10)) {
			}
		}, 500, false},
		{"stops sending within the body", func(c net.Conn) {
			hostiletest.Write(c, head+"Content-Length: 1000000\r\n\r\nbegin")
			_, _ = c.Read(make([]byte, 1))
		}, 200, true},
		{"closes within the body", func(c net.Conn) { hostiletest.Write(c, head+"Content-Length: 1000\r\n\r\nbegin"); c.Close() }, 200, true},
		{"switches protocols", func(c net.Conn) {
			hostiletest.Write(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
		}, 101, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, requests := attempt(t, c.script, c.code)
			if out.Code != c.code || (out.Err == nil) != c.ok || len(out.Answer) > persistence.AttemptAnswerBytesMax {
				t.Errorf("attempt = %d, %v with %d bytes; want %d, delivered %v", out.Code, out.Err, len(out.Answer), c.code, c.ok)
			}
			if out.Err != nil && (strings.ContainsFunc(out.Err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) || len(out.Err.Error()) > 600) {
				t.Errorf("error = %q, want a short printable one", out.Err)
			}
			if requests != 1 {
				t.Errorf("requests = %d, want 1", requests)
			}
		})
	}
}

// attempt posts once to a receiver that runs the script. If the attempt timed out
// before the script could run, on a busy machine, it is repeated with twice the
// timeout.
func attempt(t *testing.T, script func(net.Conn), code int) (out persistence.Attempt, requests int64) {
	t.Helper()
	for timeout := 400 * time.Millisecond; ; timeout *= 2 {
		url, served := hostiletest.Serve(t, script)
		s := sender(t, func(o *webhook.Options) { o.Timeout = timeout })
		began := time.Now()
		out = s.Send(t.Context(), endpoint(url), event, 1, began)
		took := time.Since(began)
		if took > timeout+waitMax {
			t.Errorf("attempt took %v, want at most %v", took, timeout+waitMax)
		}
		if requests = int64(served.Load()); took < timeout || timeout > waitMax || (requests > 0 && out.Code == code) {
			return out, requests
		}
	}
}

// The receiver closes the connection after the second event, which must not be posted
// again in the same attempt.
func TestEventIsPostedOnceOnAReusedConnection(t *testing.T) {
	served := 0
	url, requests := hostiletest.Serve(t, func(c net.Conn) {
		if served++; served == 2 {
			c.Close()
			return
		}
		hostiletest.Write(c, "HTTP/1.1 204 No Content\r\n\r\n")
	})
	s := sender(t)
	if out := s.Send(t.Context(), endpoint(url), event, 1, time.Now()); out.Err != nil {
		t.Fatalf("first event: error %v, want none", out.Err)
	}
	if out := s.Send(t.Context(), endpoint(url), event, 2, time.Now()); out.Err == nil {
		t.Fatal("second event: no error, want one")
	}
	if requests.Load() != 2 {
		t.Fatalf("requests = %d, want 2", requests.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	trap := newReceiver(t, ok)
	for _, target := range []string{"http://169.254.169.254/latest/meta-data/", trap.URL, "//" + strings.TrimPrefix(trap.URL, "http://"), "%zz"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", target)
				w.WriteHeader(status)
			})
			out := sender(t).Send(t.Context(), endpoint(r.URL), event, 1, time.Now())
			if out.Err == nil || out.Code != status || r.count() != 1 {
				t.Errorf("redirect to %s: attempt = %+v after %d requests, want status %d after 1", target, out, r.count(), status)
			}
		}
	}
	if trap.count() != 0 {
		t.Errorf("followed redirects = %d, want 0", trap.count())
	}
}

func TestCompressedResponseIsNotDecompressed(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, _ = w.Write(make([]byte, 16<<20))
	_ = w.Close()
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	out := sender(t).Send(t.Context(), endpoint(r.URL), event, 1, time.Now())
	if out.Err != nil || !bytes.Equal(out.Answer, bomb.Bytes()[:persistence.AttemptAnswerBytesMax]) {
		t.Errorf("error = %v with %d bytes, want none with the first %d compressed bytes", out.Err, len(out.Answer), persistence.AttemptAnswerBytesMax)
	}
}

// Both endpoints are on the same host and port.
func TestHangingEndpointDoesNotBlockAnother(t *testing.T) {
	release := make(chan struct{})
	r := newReceiver(t, func(_ http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/hang" {
			<-release
		}
	})
	s := sender(t)
	const attempts = webhook.ConnsPerEndpoint + 4
	hung := make(chan struct{}, attempts)
	for range attempts {
		go func() {
			s.Send(t.Context(), endpoint(r.URL+"/hang"), event, 1, time.Now())
			hung <- struct{}{}
		}()
	}
	for r.count() < webhook.ConnsPerEndpoint {
		time.Sleep(time.Millisecond)
	}
	other := endpoint(r.URL + "/fine")
	other.ID = "end_2"
	if out := s.Send(t.Context(), other, event, 1, time.Now()); out.Err != nil {
		t.Errorf("other endpoint: error %v, want none", out.Err)
	}
	if n := r.count(); n != webhook.ConnsPerEndpoint+1 {
		t.Errorf("requests = %d, want %d", n, webhook.ConnsPerEndpoint+1)
	}
	close(release)
	for range attempts {
		<-hung
	}
}

func TestConnectionsOfManyEndpointsAreBounded(t *testing.T) {
	var open atomic.Int32
	r := httptest.NewUnstartedServer(http.HandlerFunc(ok))
	r.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		default:
		}
	}
	r.Start()
	defer r.Close()
	s := sender(t)
	for i := range 1100 {
		to := endpoint(r.URL)
		to.ID = "end_" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		if out := s.Send(t.Context(), to, event, 1, time.Unix(int64(i), 0)); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	for open.Load() > 1024 {
		time.Sleep(time.Millisecond) // until the server has seen the closes
	}
	s.Close()
	for open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func TestOldTLSAndUnknownAuthoritiesAreRejected(t *testing.T) {
	r := httptest.NewUnstartedServer(http.HandlerFunc(ok))
	r.Config.ErrorLog = quiet
	r.StartTLS()
	defer r.Close()
	old := httptest.NewUnstartedServer(http.HandlerFunc(ok))
	old.Config.ErrorLog = quiet
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11} //nolint:gosec // the server that must be rejected
	old.StartTLS()
	defer old.Close()
	trust := func(o *webhook.Options) {
		o.RootCAs = x509.NewCertPool()
		o.RootCAs.AddCert(r.Certificate())
		o.RootCAs.AddCert(old.Certificate())
	}
	trusting := sender(t, trust)
	if out := trusting.Send(t.Context(), endpoint(r.URL), event, 1, time.Now()); out.Err != nil {
		t.Errorf("trusted certificate: error %v, want none", out.Err)
	}
	if out := trusting.Send(t.Context(), endpoint(old.URL), event, 1, time.Now()); out.Err == nil {
		t.Error("TLS 1.1: no error, want one")
	}
	out := sender(t).Send(t.Context(), endpoint(r.URL), event, 1, time.Now())
	var unknown *tls.CertificateVerificationError
	if !errors.As(out.Err, &unknown) {
		t.Errorf("unknown authority: error %v, want a CertificateVerificationError", out.Err)
	}
}

func TestErrorsDoNotContainTheURL(t *testing.T) {
	url, _ := hostiletest.Serve(t, func(c net.Conn) { c.Close() })
	denied := "http://127.0.0.2:9/?token=canary"
	s := sender(t, func(o *webhook.Options) { o.Timeout = 5 * time.Second })
	for _, target := range []string{url + "/?token=canary", denied, "http://\x7f/?token=canary", "canary://host/", "http://nowhere.invalid/?token=canary"} {
		out := s.Send(t.Context(), endpoint(target), event, 1, time.Now())
		if out.Err == nil || strings.Contains(out.Err.Error(), "token=") {
			t.Errorf("%s: error = %v, want one without the token", target, out.Err)
		}
	}
}
