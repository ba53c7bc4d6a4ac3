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

func (s *server) loginWithCompression() *client {
	s.t.Helper()
	ws, handshake, err := s.upgradeBy(websocket.Dialer{EnableCompression: true}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	negotiated := strings.Contains(handshake.header.Get("Sec-WebSocket-Extensions"), "permessage-deflate")
	c := &client{t: s.t, ws: ws}
	if m := c.next(); m.Op != "welcome" {
		s.t.Fatalf("message = %s, want welcome", m.text)
	}
	if !negotiated {
		s.t.Error("permessage-deflate: not negotiated, want it negotiated")
	}
	c.send(`{"op":"auth","token":"alice"}`)
	c.next()
	return c
}

func TestCompressedFrames(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, Compression: true}, func(t *testing.T, s *server) {
		o := s.feed.owner("", "book:okx:BTCUSDT:200")
		o.addLevels(200)
		plain, deflating := s.login("bob"), s.loginWithCompression()
		p, d := subscribeBook(t, plain, o), subscribeBook(t, deflating, o)
		for range 5 {
			synctest.Wait() // until earlier writes are counted
			before := s.hub.Stats().WrittenBytes
			o.republish()
			p.readNext(t, plain)
			d.readNext(t, deflating)
			synctest.Wait()
			one := o.frameBytes()
			if written := int(s.hub.Stats().WrittenBytes - before); written >= 2*one || written <= one {
				t.Errorf("%d bytes written for a plain and a compressed frame of %d, want less than two frames", written, one)
			}
		}
		o.publish() // too small to be compressed
		p.readNext(t, plain)
		d.readNext(t, deflating)
		plain.close()
		deflating.close()
	})
}

func TestCompressionIsOffByDefault(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		ws, handshake, err := s.upgradeBy(websocket.Dialer{EnableCompression: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := handshake.header.Get("Sec-WebSocket-Extensions"); got != "" {
			t.Errorf("Sec-WebSocket-Extensions = %q, want none", got)
		}
		_ = ws.Close()
	})
}

// The size limit applies to the decompressed message.
func TestDecompressedSizeIsLimited(t *testing.T) {
	inMemory(t, stream.Options{Compression: true}, func(t *testing.T, s *server) {
		c := s.loginWithCompression()
		c.send(`{"op":"ping","pad":"` + strings.Repeat("x", api.StreamFrameBytesMax/2) + `"}`)
		if m := c.next(); m.Op != "pong" {
			t.Fatalf("message = %s, want pong", m.text)
		}
		bomb := `{"op":"ping","pad":"` + strings.Repeat("x", 50*api.StreamFrameBytesMax) + `"}`
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.BestCompression)
		_, _ = w.Write([]byte(bomb))
		_ = w.Close()
		if packed.Len() > api.StreamFrameBytesMax {
			t.Fatalf("the compressed message has %d bytes, want at most %d", packed.Len(), api.StreamFrameBytesMax)
		}
		c.ws.EnableWriteCompression(true)
		go func() { _ = c.ws.WriteMessage(websocket.TextMessage, []byte(bomb)) }() // returns when the server has closed
		c.wantClosed(1009)
		c.close()
	})
}
