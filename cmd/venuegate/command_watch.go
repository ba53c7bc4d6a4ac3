package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	venuegate "venuegate/transport/clients/go"
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
		Args:    namedArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			o.Channels = args
			if err := o.complete(config, sh.Environ); err != nil {
				return err
			}
			return watch(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
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

// watch subscribes and prints messages. It returns nil when ctx ends or Count is reached, and
// an error when the first connection fails or a topic is rejected. Later it reports an
// interruption on notes and continues.
func watch(ctx context.Context, o watchOptions, out, notes io.Writer) error {
	stream := venuegate.Subscribe(ctx, venuegate.StreamOptions{
		URL: o.URL, Key: o.Key, Topics: o.Channels, UserAgent: "venuegate-watch/" + version,
	})
	defer stream.Close()
	connected := false
	for shown := 0; o.Count == 0 || shown < o.Count; {
		m, err := stream.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("watch: %w", err)
		case m.Type == venuegate.TypeConnected:
			connected = true
		case m.Type == venuegate.TypeDisconnected && !connected:
			return m.Err
		case m.Type == venuegate.TypeDisconnected:
			fmt.Fprintf(notes, "the stream was interrupted (%v); messages may be missing; connecting again in %s\n", m.Err, m.RetryIn.Round(time.Second))
		default:
			shown++
			fmt.Fprintf(out, "%s\n", m.Raw)
		}
	}
	return nil
}
