package webhook_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode"

	"venuegate/transport/webhook"
)

// certificateFor returns a self-signed certificate.
func certificateFor(t *testing.T, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: names,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// An error quotes the names in the receiver's certificate, and operators read it at a
// terminal.
func TestErrorOfACertificateIsPrintable(t *testing.T) {
	r := httptest.NewUnstartedServer(http.HandlerFunc(ok))
	r.Config.ErrorLog = quiet
	names := []string{"\x1b]0;owned\a\x1b[2J.example"}
	for range 50 {
		names = append(names, strings.Repeat("x", 60)+".example")
	}
	r.TLS = &tls.Config{Certificates: []tls.Certificate{certificateFor(t, names...)}, MinVersion: tls.VersionTLS12}
	r.StartTLS()
	defer r.Close()
	resolver := nameServer(t, func() netip.Addr { return netip.MustParseAddr("127.0.0.1") })
	s := sender(t, func(o *webhook.Options) { o.Resolver = resolver })
	out := s.Send(t.Context(), endpoint(strings.Replace(r.URL, "127.0.0.1", "receiver.example.", 1)), event, 1, time.Now())
	if out.Err == nil || strings.ContainsFunc(out.Err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("error = %q, want a printable one", out.Err)
	}
	if !strings.Contains(out.Err.Error(), "certificate") {
		t.Errorf("error = %q, want one about the certificate", out.Err)
	}
}
