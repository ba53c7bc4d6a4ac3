package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTLS checks that the public listener uses TLS 1.2 or newer with the configured
// certificate, and that the demo prints https URLs.
func TestTLS(t *testing.T) {
	cert, key, roots := makeCertificate(t)
	config := writeFile(t, "tls: {cert: "+cert+", key: "+key+"}")
	s := startService(t, t.TempDir(), "--config", config)
	if !strings.HasPrefix(s.demo.BaseURL, "https://127.0.0.1:") || !strings.HasPrefix(s.demo.WSURL, "wss://127.0.0.1:") {
		t.Fatalf("addresses = %s, %s, want https and wss on loopback", s.demo.BaseURL, s.demo.WSURL)
	}
	client := http.Client{Timeout: waitMax, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.demo.BaseURL+"/v1/time", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.TLS == nil {
		t.Errorf("status = %d, TLS %v, want 200 over TLS", response.StatusCode, response.TLS != nil)
	}
	address := strings.TrimPrefix(s.demo.BaseURL, "https://")
	old := tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}} //nolint:gosec // the rejection is what is tested
	if conn, err := old.DialContext(t.Context(), "tcp", address); err == nil {
		conn.Close()
		t.Error("handshake with TLS 1.1: no error, want one")
	}
}

func TestInvalidTLSFilesAreReported(t *testing.T) {
	config := writeFile(t, "data: "+t.TempDir()+"\nlisten: 127.0.0.1:0\nadminListen: 127.0.0.1:0\ntls: {cert: /nonexistent.pem, key: /nonexistent.key}")
	if status, _, errText := run(t.Context(), "serve", "--config", config); status != exitFailed || !strings.Contains(errText, "/nonexistent.pem") {
		t.Errorf("status = %d, want %d and the name of the file: %s", status, exitFailed, errText)
	}
}

// makeCertificate creates a self-signed certificate for loopback.
func makeCertificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loopback"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(certificate)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: signed}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := writeSecretFile(name, pem.EncodeToMemory(block)); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile, roots
}
