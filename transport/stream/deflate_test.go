package stream_test

import (
	"bytes"
	"compress/flate"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
	"venuegate/transport/stream"
)

func (s *server) connectDeflating() *client {
	s.t.Helper()
	ws, answer, err := s.upgradeBy(websocket.Dialer{EnableCompression: true}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	offered := strings.Contains(answer.header.Get("Sec-WebSocket-Extensions"), "permessage-deflate")
	c := &client{t: s.t, ws: ws}
	if m := c.next(); m.Op != "welcome" {
		s.t.Fatalf("got %s", m.text)
	}
	if !offered {
		s.t.Error("permessage-deflate was not negotiated")
	}
	c.send(`{"op":"auth","token":"alice"}`)
	c.next()
	return c
}

func TestDeflate(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, Compression: true}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:200")
		o.widen(200)
		plain, deflating := s.login("bob"), s.connectDeflating()
		p, d := follow(t, plain, o), follow(t, deflating, o)
		for range 5 {
			synctest.Wait() // what was written before is counted
			before := s.hub.Stats().WrittenBytes
			o.republish()
			p.must(t, plain)
			d.must(t, deflating)
			synctest.Wait()
			one := o.frameBytes()
			if written := int(s.hub.Stats().WrittenBytes - before); written >= 2*one || written <= one {
				t.Errorf("%d bytes were written for a plain and a compressed frame of %d", written, one)
			}
		}
		o.publish() // small: not worth it
		p.must(t, plain)
		d.must(t, deflating)
		plain.close()
		deflating.close()
	})
}

func TestDeflateIsOffUnlessAskedFor(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		ws, answer, err := s.upgradeBy(websocket.Dialer{EnableCompression: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.header.Get("Sec-WebSocket-Extensions"); got != "" {
			t.Errorf("got %q", got)
		}
		_ = ws.Close()
	})
}

// A small compressed message that becomes a large one meets the same limit.
func TestInflatedSizeIsLimited(t *testing.T) {
	inMemory(t, stream.Options{Compression: true}, func(t *testing.T, s *server) {
		c := s.connectDeflating()
		c.send(`{"op":"ping","pad":"` + strings.Repeat("x", api.StreamFrameBytesMax/2) + `"}`)
		if m := c.next(); m.Op != "pong" {
			t.Fatalf("got %s", m.text)
		}
		bomb := `{"op":"ping","pad":"` + strings.Repeat("x", 50*api.StreamFrameBytesMax) + `"}`
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.BestCompression)
		_, _ = w.Write([]byte(bomb))
		_ = w.Close()
		if packed.Len() > api.StreamFrameBytesMax {
			t.Fatal("the bomb is too big itself")
		}
		c.ws.EnableWriteCompression(true)
		go func() { _ = c.ws.WriteMessage(websocket.TextMessage, []byte(bomb)) }() // ends when the server has closed
		c.wantClosed(1009)
		c.close()
	})
}
