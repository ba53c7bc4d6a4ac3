package wsclient

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// newUnservedConn returns a connection without a link.
func newUnservedConn(t *testing.T) *Conn {
	t.Helper()
	upgrader := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := upgrader.Upgrade(w, r, nil); err == nil {
			defer c.Close()
			_, _, _ = c.ReadMessage()
		}
	}))
	t.Cleanup(server.Close)
	dialer := websocket.Dialer{WriteBufferSize: writeBufferBytes}
	socket, response, err := dialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	c := newConn(socket, readBytesMaxDefault, time.Now())
	t.Cleanup(func() { c.close(ErrClosed) })
	return c
}

// After a close frame nothing is written: a message has not begun, unless a part of it
// was sent before.
func TestWriteAfterClose(t *testing.T) {
	c := newUnservedConn(t)
	if err := c.socket.WriteControl(websocket.CloseMessage, nil, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	began, err := c.Write(context.Background(), []byte("order"))
	if began || !errors.Is(err, websocket.ErrCloseSent) {
		t.Errorf("began %v, error %v, want false and ErrCloseSent", began, err)
	}
	if began, err = c.Write(context.Background(), []byte("order")); began || err == nil {
		t.Errorf("a second one: began %v, %v, want !began and an error", began, err)
	}
}

// Nor is anything written after a ping that failed.
func TestWriteAfterFailedPing(t *testing.T) {
	c := newUnservedConn(t)
	if err := c.socket.NetConn().Close(); err != nil {
		t.Fatal(err)
	}
	if c.ping() == nil {
		t.Fatal("the ping did not fail")
	}
	if began, err := c.Write(context.Background(), []byte("order")); began || err == nil {
		t.Errorf("began %v, error %v, want false and an error", began, err)
	}
}
