package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"venuegate/bench/load"
	"venuegate/persistence"
	venuegate "venuegate/transport/clients/go"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// loadFlags are the flags of venuegate load that are not options of the load itself.
type loadFlags struct {
	scenario         string
	url              string
	keys             []string
	hook, hookSecret string
	customer         string
	accounts         int
	out, hdr         string
	slow, never      string
	exchange, symbol string
}

func newLoadCommand(sh shell) *cobra.Command {
	var o load.Options
	var f loadFlags
	cmd := &cobra.Command{
		Use: "load SCENARIO", Short: "Measure a running service, here or elsewhere, under a load of requests or subscribers",
		Long: `Sends requests at a fixed rate, or subscribes to the stream, and measures what a client
sees. A request is due at its time whatever became of those before it, and its latency counts
from then. Orders are 3 % below the best bid and do not match, except those of events.

The service, its channel and its process are those of the demo on --data, unless they are given.
The service limits the requests of a key, and a venue the orders of an account. On a demo, --accounts
adds simulated accounts, each of a customer of its own, and keys for the rate are made and
revoked. Elsewhere give as many keys as the rate needs: each is good for 2 trading requests or 10
reads per second. More than 200 connections from one address need limits.connectionsPerSource.

Scenarios:

` + loadScenarios(),
		Example: `  venuegate load orders --rate 200 --accounts 16 --out before.json
  venuegate load stream --subscribers 1000 --channels trades:binance:BTCUSDT
  venuegate load compare before.json after.json --fail-over 5`,
		Args: loadArgs, ValidArgs: loadNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			scenario, _ := load.Select(args[0])
			f.scenario = scenario.Name
			remove, err := f.complete(cmd.Context(), &o, config, sh)
			if err != nil {
				return err
			}
			o.Flags = flagsSet(cmd)
			result, err := scenario.Run(cmd.Context(), o, cmd.ErrOrStderr())
			if err = errors.Join(err, remove()); err != nil {
				return err
			}
			return f.write(cmd.OutOrStdout(), result)
		},
	}
	configFlags(cmd, "data", "listen", "admin-listen")
	addLoadFlags(cmd.Flags(), &o, &f)
	cmd.AddCommand(newLoadCompareCommand(), newLoadReportCommand())
	return cmd
}

func addLoadFlags(flags *pflag.FlagSet, o *load.Options, f *loadFlags) {
	flags.StringVar(&f.url, "url", "", "service `URL`; default: the service configured here")
	flags.StringSliceVar(&f.keys, "key", nil, "API `KEYS`; default: VENUEGATE_KEY, or keys made on the demo")
	flags.IntVar(&f.accounts, "accounts", 0, "trade with `N` more accounts of the demo, made if they do not exist")
	flags.Float64Var(&o.Rate, "rate", 50, "requests per second, `R`")
	flags.IntVar(&o.Clients, "clients", 16, "send requests on `N` connections, one at a time each")
	flags.DurationVar(&o.Duration, "duration", 30*time.Second, "measure for this `TIME`")
	flags.DurationVar(&o.Warmup, "warmup", 5*time.Second, "do not measure for this `TIME` before")
	flags.StringVar(&f.out, "out", "", "write the result as JSON to `FILE`")
	flags.StringVar(&f.hdr, "hdr", "", "write the distributions of latency to `FILE`, as percentiles in milliseconds")
	flags.BoolVar(&o.Live, "live", false, "load a service on live venues")
	flags.IntVar(&o.PID, "pid", 0, "process `ID` of the service on this machine; default: the demo's")
	flags.StringVar(&f.exchange, "exchange", string(venues.Binance), "trade and read on `VENUE`")
	flags.StringVar(&f.symbol, "symbol", "BTCUSDT", "trade and read `SYMBOL`")
	flags.StringVar(&f.hook, "hook", "", "send signals to the channel at `URL`; default: channels made on the demo")
	flags.StringVar(&f.hookSecret, "hook-secret", "", "`FILE` of the channel's secret; - is standard input")
	flags.StringVar(&o.Signal, "signal", "", "`JSON` of the signal; default: one that trades nothing")
	flags.StringVar(&o.Events.Listen, "receive", "127.0.0.1:0", "receive events at `ADDRESS`")
	flags.StringVar(&f.customer, "customer", "", "`ID` of the customer whose events are received; default: the only one")
	flags.IntVar(&o.Stream.Subscribers, "subscribers", 100, "connect `N` subscribers")
	flags.StringSliceVar(&o.Stream.Channels, "channels", nil, "`CHANNELS` of the stream; default: the trades and the book of --symbol")
	flags.IntVar(&o.Stream.EachOf, "each", 0, "subscribe each connection to `N` of the channels, in turn; default: all")
	flags.IntVar(&o.Stream.Verified, "verify", 16, "`N` more subscribers decode and check every message")
	flags.StringVar(&f.slow, "slow", "10%", "`SHARE` of subscribers that read slowly, in slow-readers")
	flags.StringVar(&f.never, "never-read", "10%", "`SHARE` of subscribers that never read, in slow-readers")
	flags.Float64Var(&o.Stream.ConnectRate, "connect-rate", 1000, "open `N` connections per second")
}

// complete fills in what the flags leave open and checks them. remove revokes keys that were made
// for the load.
func (f *loadFlags) complete(ctx context.Context, o *load.Options, config Config, sh shell) (remove func() error, err error) {
	client := clientOptions{URL: f.url, Key: strings.Join(f.keys, ",")}
	if err := client.complete(config, sh.Environ); err != nil {
		return nil, err
	}
	o.URL, o.Keys, o.Version = strings.TrimSuffix(client.URL, "/"), strings.Split(client.Key, ","), version
	o.StreamURL = "ws" + strings.TrimPrefix(o.URL, "http") + streamPath
	o.Exchange, o.Symbol = venuegate.Exchange(f.exchange), f.symbol
	o.HeaderPrefix = config.HeaderPrefix
	if err := f.check(o); err != nil {
		return nil, err
	}
	o.Events.Register = func(ctx context.Context, address string) (string, func(context.Context) error, error) {
		return registerReceiver(ctx, config, f.customer, address)
	}
	return f.completeDemo(ctx, o, config, sh.In)
}

// check fills in the channels and requires values that make sense.
func (f *loadFlags) check(o *load.Options) (err error) {
	if len(o.Stream.Channels) == 0 {
		o.Stream.Channels = []string{"trades:" + f.exchange + ":" + f.symbol, "book:" + f.exchange + ":" + f.symbol + ":20"}
	}
	if err := checkChannels(o.Stream.Channels); err != nil {
		return err
	}
	if o.Stream.Slow, err = shareOf(f.slow); err != nil {
		return err
	}
	if o.Stream.Never, err = shareOf(f.never); err != nil {
		return err
	}
	if o.Rate <= 0 || o.Clients < 1 || o.Duration < load.Rounds*time.Millisecond || o.Warmup < 0 || f.accounts < 0 ||
		o.Stream.Subscribers < 1 || o.Stream.Verified < 1 || o.Stream.ConnectRate <= 0 {
		return errors.New("rates, clients, subscribers and times must be above zero")
	}
	return nil
}

// completeDemo reads the secret of a channel that is given, and fills in the process of the demo,
// and keys and channels for the rate.
func (f *loadFlags) completeDemo(ctx context.Context, o *load.Options, config Config, in io.Reader) (remove func() error, err error) {
	if f.hook != "" {
		secret, err := readSecret(f.hookSecret, in)
		if err != nil {
			return nil, err
		}
		o.Channels = []load.Channel{{URL: f.hook, Secret: secret}}
	}
	demo, err := calledDemo(config.Data)
	if err != nil || demo == nil || demo.BaseURL != o.URL {
		if f.accounts > 0 {
			return nil, errors.New("--accounts needs a demo that runs on --data")
		}
		return func() error { return nil }, nil
	}
	if o.PID == 0 {
		o.PID, _ = demoProcess(config.Data) // its use is then not known
	}
	c, err := newAdminClient(config)
	if err != nil {
		return nil, err
	}
	a := &loadAccounts{admin: c, demo: demo, exchange: venues.Venue(f.exchange)}
	if err := f.open(ctx, a, o); err != nil {
		return nil, errors.Join(err, a.close(ctx))
	}
	return func() error { return a.close(ctx) }, nil
}

// open makes the keys and channels that were not given. Events are those of the demo's own
// customer.
func (f *loadFlags) open(ctx context.Context, a *loadAccounts, o *load.Options) (err error) {
	accounts := f.accounts
	if f.scenario == "events" {
		accounts = 0
	}
	customers, err := a.customers(ctx, accounts)
	if err != nil {
		return err
	}
	if f.customer == "" {
		f.customer = customers[0]
	}
	if slices.Equal(o.Keys, []string{a.demo.APIKey}) { // none was given
		if o.Keys, err = a.openKeys(ctx, customers, o.Rate); err != nil {
			return err
		}
	}
	if o.Channels == nil && f.scenario == "hooks" {
		o.Channels, err = a.openChannels(ctx, customers, o.Rate)
	}
	return err
}

// registerReceiver creates an endpoint for a receiver, and returns its secret and what removes it.
func registerReceiver(ctx context.Context, config Config, customer, address string) (secret string, remove func(context.Context) error, err error) {
	c, err := newAdminClient(config)
	if err != nil {
		return "", nil, err
	}
	if customer == "" {
		customers, err := list[registry.Customer](ctx, c, "customers", "")
		if err != nil {
			return "", nil, err
		}
		if len(customers) != 1 {
			return "", nil, fmt.Errorf("there are %d customers: set --customer", len(customers))
		}
		customer = customers[0].ID
	}
	endpoint, err := create[registry.Endpoint](ctx, c, "endpoints", map[string]any{
		"customer": customer, "kind": persistence.EndpointWebhook, "name": "load", "url": address, "types": []persistence.EventType{persistence.EventOrderFilled},
	})
	if err != nil {
		return "", nil, err
	}
	return endpoint.Secret, func(ctx context.Context) error {
		return c.call(ctx, http.MethodDelete, "/admin/v1/endpoints/"+url.PathEscape(endpoint.ID), nil, nil)
	}, nil
}

// shareOf parses a percentage.
func shareOf(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || percent < 0 || percent > 100 {
		return 0, fmt.Errorf("`%s` is not a percentage between 0%% and 100%%", text)
	}
	return percent / 100, nil
}

// flagsSet returns the flags that were given, without secrets and places on this machine.
func flagsSet(cmd *cobra.Command) map[string]string {
	set := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "key", "hook-secret", "hook", "signal", "data", "config", "out", "hdr":
		default:
			set[f.Name] = f.Value.String()
		}
	})
	return set
}

// write prints the summary and writes the files.
func (f *loadFlags) write(out io.Writer, result *load.Result) error {
	err := result.WriteSummary(out)
	if f.out != "" {
		text, failed := json.MarshalIndent(result, "", " ")
		if failed == nil {
			failed = os.WriteFile(f.out, append(text, '\n'), 0o600)
		}
		err = errors.Join(err, failed)
	}
	if f.hdr != "" {
		err = errors.Join(err, createFile(f.hdr, result.WriteHDR))
	}
	if err == nil && len(result.Faults) > 0 {
		err = fmt.Errorf("the service violated what it promises %d times", len(result.Faults))
	}
	return err
}

// createFile creates a file and writes it.
func createFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

func newLoadCompareCommand() *cobra.Command {
	failOver := -1.0
	cmd := &cobra.Command{
		Use: "compare BEFORE.json AFTER.json...", Short: "Show how the percentiles of results differ",
		Long: `Shows by how many percent each percentile of the later results differs from that of the
first, with the 95 % interval over the ten parts of each run.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			results, err := readResults(args)
			if err != nil {
				return err
			}
			failed := false
			for i, after := range results[1:] {
				changes, err := load.Compare(results[0], after)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s -> %s\n", args[0], args[i+1])
				worse, err := load.WriteChanges(cmd.OutOrStdout(), changes, failOver)
				if err != nil {
					return err
				}
				failed = failed || worse
			}
			if failed {
				return fmt.Errorf("a percentile is worse by more than %g %%", failOver)
			}
			return nil
		},
	}
	cmd.Flags().Float64Var(&failOver, "fail-over", failOver, "exit with status 1 if a percentile is worse by more than `PERCENT` and the interval confirms that it is worse")
	return cmd
}

func newLoadReportCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "report RESULT.json...", Short: "Draw results as a page of HTML",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			results, err := readResults(args)
			if err != nil {
				return err
			}
			return createFile(name, func(w io.Writer) error { return load.WriteReport(w, results) })
		},
	}
	cmd.Flags().StringVar(&name, "html", "", "write the page to `FILE`")
	requireFlags(cmd, "html")
	return cmd
}

func readResults(names []string) (results []*load.Result, err error) {
	for _, name := range names {
		result, err := load.ReadResult(name)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// loadArgs requires the name of a scenario.
func loadArgs(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("one scenario is required: %s", strings.Join(loadNames(), ", "))
	}
	if _, known := load.Select(args[0]); !known {
		return fmt.Errorf("unknown scenario `%s`%s\nscenarios: %s", args[0], didYouMean(args[0], loadNames()), strings.Join(loadNames(), ", "))
	}
	return nil
}

func loadNames() []string {
	scenarios := load.Scenarios()
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.Name
	}
	return names
}

func loadScenarios() string {
	var text strings.Builder
	for _, s := range load.Scenarios() {
		fmt.Fprintf(&text, "  %-14s %s\n", s.Name, s.Does)
	}
	return text.String()
}
