package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"venuegate/transport/api"
)

// watchOptions are the options of venuegate watch.
type watchOptions struct {
	URL      string
	Key      string
	Channels []string
	// Count is the number of messages after which watch ends; zero is no limit.
	Count int
}

func newWatchCommand(sh shell) *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use: "watch CHANNEL...", Short: "Print the messages of stream topics, one per line",
		Example: "  venuegate watch book:binance:BTCUSDT:20 trades:binance:BTCUSDT\n  venuegate watch orders positions --key KEY",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			o.Channels = args
			if err := o.complete(config, sh.Environ); err != nil {
				return err
			}
			return watch(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	configFlags(cmd, "data", "listen")
	cmd.Flags().StringVar(&o.URL, "url", "", "stream `ADDRESS`; default: the service configured here")
	cmd.Flags().StringVar(&o.Key, "key", "", "API `KEY`; default: VENUEGATE_KEY, or the demo's")
	cmd.Flags().IntVar(&o.Count, "count", 0, "end after `N` messages")
	return cmd
}

// complete fills in a missing key and URL; see clientOptions.complete.
func (o *watchOptions) complete(config Config, environ []string) error {
	client := clientOptions{Key: o.Key}
	if err := client.complete(config, environ); err != nil {
		return err
	}
	o.Key = client.Key
	if o.URL == "" {
		o.URL = "ws" + strings.TrimPrefix(client.URL, "http") + streamPath
	}
	return nil
}

const (
	watchDialTimeout  = 10 * time.Second
	watchWriteTimeout = 5 * time.Second
)

// op is a request to the stream.
type op struct {
	Op       string   `json:"op"`
	Token    string   `json:"token,omitzero"`
	Channels []string `json:"channels,omitzero"`
}

// reply is the part of a stream message that watch reads.
type reply struct {
	Op       string           `json:"op"`
	Channel  string           `json:"channel"`
	Message  string           `json:"message"`
	Rejected []map[string]any `json:"rejected"`
}

// watch subscribes and prints messages. It returns nil when ctx ends or Count is
// reached, and an error when the connection ends.
func watch(ctx context.Context, o watchOptions, out io.Writer) error {
	dialer := websocket.Dialer{HandshakeTimeout: watchDialTimeout}
	conn, response, err := dialer.DialContext(ctx, o.URL, http.Header{"User-Agent": {"venuegate-watch/" + version}})
	if response != nil && response.Body != nil {
		response.Body.Close()
	}
	if err != nil {
		return fmt.Errorf("connect to %s: %w", o.URL, err)
	}
	defer conn.Close()
	for _, first := range []op{{Op: "auth", Token: o.Key}, {Op: "subscribe", Channels: o.Channels}} {
		if err := send(conn, first); err != nil {
			return err
		}
	}
	ended := make(chan struct{})
	pinging := make(chan struct{})
	go func() {
		defer close(pinging)
		keepAlive(ctx, conn, ended)
	}()
	err = printMessages(conn, o, out)
	close(ended)
	<-pinging
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// keepAlive sends pings at the interval that clients must keep, and closes the
// connection when ctx ends.
func keepAlive(ctx context.Context, conn *websocket.Conn, ended <-chan struct{}) {
	ticker := time.NewTicker(api.StreamPingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			conn.Close()
			return
		case <-ticker.C:
			// A connection that fails here fails at its reader too.
			_ = send(conn, op{Op: "ping"})
		}
	}
}

func send(conn *websocket.Conn, message op) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if err := conn.SetWriteDeadline(time.Now().Add(watchWriteTimeout)); err != nil {
		return err
	}
	if err := conn.WriteMessage(websocket.TextMessage, text); err != nil {
		return fmt.Errorf("send %s: %w", message.Op, err)
	}
	return nil
}

func printMessages(conn *websocket.Conn, o watchOptions, out io.Writer) error {
	for shown := 0; o.Count == 0 || shown < o.Count; {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return fmt.Errorf("the stream ended: %w", err)
		}
		var r reply
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("decode message: %w", err)
		}
		switch {
		case r.Op == "error":
			return fmt.Errorf("the stream responds with an error: %s", r.Message)
		case len(r.Rejected) > 0:
			return fmt.Errorf("the stream rejects %v: %v", r.Rejected[0]["channel"], r.Rejected[0]["message"])
		case r.Channel != "":
			shown++
			fmt.Fprintf(out, "%s\n", text)
		}
	}
	return nil
}
