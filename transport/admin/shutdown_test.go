package admin_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"venuegate/transport/admin"
	"venuegate/transport/operationstest"
	"venuegate/transport/registry"
)

// A backup keeps the store open, and the store waits for it when it closes.
func TestShutdownEndsABackupOfAStalledClient(t *testing.T) {
	ended := make(chan error, 1)
	server := admin.NewServer(admin.ServerOptions{
		Registry: registry.New(registry.Options{}), Token: token, Metrics: prometheus.NewRegistry(), Log: zap.NewNop(),
		Operations: operationstest.Source{},
		Backup: func(_ context.Context, w io.Writer) error {
			var err error
			for err == nil {
				_, err = w.Write(make([]byte, 1<<20))
			}
			ended <- err
			return err
		},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/admin/v1/backup", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if err := request.Write(conn); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // the backup has started
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: error %v, want DeadlineExceeded: the connection is open", err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("backup: error %v, want ErrClosedPipe", err)
		}
	case <-time.After(time.Minute):
		t.Error("backup still runs after a minute, want it to end")
	}
	conn.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A service that is stopped while it starts ends.
func TestShutdownBeforeServe(t *testing.T) {
	server := admin.NewServer(admin.ServerOptions{
		Registry: registry.New(registry.Options{}), Token: token, Metrics: prometheus.NewRegistry(), Log: zap.NewNop(),
		Operations: operationstest.Source{},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve: %v, want it to end without an error", err)
		}
	case <-time.After(time.Minute):
		t.Error("Serve still runs after a minute, want it to end")
		listener.Close()
	}
}
