package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	venuegate "venuegate/transport/clients/go"
	"venuegate/venues"
)

// watchOptions are the options of venuegate watch.
type watchOptions struct {
	URL      string
	Key      string
	Channels []string
	// Count is the number of messages after which watch ends; zero is no limit.
	Count int
	// JSON prints messages on a terminal too.
	JSON bool
}

func newWatchCommand(sh shell) *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use: "watch CHANNEL...", Short: "Show order books, trades, orders, positions and balances live",
		Long: `Shows the topics of the stream: a ladder for a book, a tape for trades, a table for
orders, positions, balances and candles. Where the output is not a terminal, and with
--json or --count, it prints the messages, one per line. A connection that ends is
opened again, after a wait that grows with each attempt; what is shown says so.

Channels: ` + channelForms,
		Example: "  venuegate watch book:binance:BTCUSDT:20 trades:binance:BTCUSDT\n  venuegate watch orders positions --key KEY",
		Args:    namedArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			if err := checkChannels(args); err != nil {
				return err
			}
			o.Channels = args
			if err := o.complete(config, sh.Environ); err != nil {
				return err
			}
			if !o.JSON && o.Count == 0 && isTerminal(cmd.OutOrStdout()) {
				return watchScreen(cmd.Context(), o, newScreen(cmd.OutOrStdout(), sh.Environ))
			}
			return watch(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	configFlags(cmd, "data", "listen")
	cmd.Flags().StringVar(&o.URL, "url", "", "stream `ADDRESS`; default: the service configured here")
	cmd.Flags().StringVar(&o.Key, "key", "", "API `KEY`; default: VENUEGATE_KEY, or the demo's")
	cmd.Flags().IntVar(&o.Count, "count", 0, "end after `N` messages")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print messages, one per line, on a terminal too")
	return cmd
}

// channelForms lists the forms of channels.
const channelForms = "book:VENUE:SYMBOL:DEPTH, trades:VENUE:SYMBOL, kline:VENUE:SYMBOL:TIMEFRAME, orders, positions, account"

// checkChannels requires names of stream topics.
func checkChannels(names []string) error {
	for _, name := range names {
		if _, known := venues.ParseTopic(name); known {
			continue
		}
		kind, rest, _ := strings.Cut(name, ":")
		kinds := textsOf([]venues.TopicKind{venues.TopicBook, venues.TopicTrades, venues.TopicKline, venues.TopicOrders, venues.TopicPositions, venues.TopicAccount})
		hint := ""
		if n := nearest(kind, kinds); n != "" && n != kind {
			hint = "; did you mean `" + strings.TrimSuffix(n+":"+rest, ":") + "`?"
		}
		return fmt.Errorf("unknown channel `%s`%s\nchannels: %s", name, hint, channelForms)
	}
	return nil
}

// complete fills in a missing key and URL; see clientOptions.complete.
func (o *watchOptions) complete(config Config, environ []string) error {
	client := clientOptions{URL: o.URL, Key: o.Key}
	if err := client.complete(config, environ); err != nil {
		return err
	}
	o.Key = client.Key
	if o.URL == "" {
		o.URL = "ws" + strings.TrimPrefix(client.URL, "http") + streamPath
	}
	return nil
}

func (o *watchOptions) subscribe(ctx context.Context) *venuegate.Stream {
	return venuegate.Subscribe(ctx, venuegate.StreamOptions{
		URL: o.URL, Key: o.Key, Topics: o.Channels, UserAgent: "venuegate-watch/" + version,
	})
}

// watchScreen subscribes and draws until ctx ends.
func watchScreen(ctx context.Context, o watchOptions, s *screen) error {
	stream := o.subscribe(ctx)
	defer stream.Close()
	if err := s.run(ctx, stream); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

// watch subscribes and prints messages. It returns nil when ctx ends or Count is reached, and
// an error when the first connection fails or a topic is rejected. Later it reports an
// interruption on notes and continues.
func watch(ctx context.Context, o watchOptions, out, notes io.Writer) error {
	stream := o.subscribe(ctx)
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
			fmt.Fprintln(notes, interruption(m))
		default:
			shown++
			fmt.Fprintf(out, "%s\n", m.Raw)
		}
	}
	return nil
}
