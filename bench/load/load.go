package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	venuegate "venuegate/transport/clients/go"
)

// Options of a run.
type Options struct {
	// URL and StreamURL are the addresses of the service, such as http://127.0.0.1:8080 and
	// ws://127.0.0.1:8080/v1/stream.
	URL, StreamURL string
	// Keys are API keys, at least one. Requests use them in turn, because the service limits the
	// requests of a key; those that belong together, such as an order and its cancellation, use
	// the same one. Subscribers use them in turn too.
	Keys []string
	// Rate is the number of requests per second, Clients the number of connections that send
	// them, one at a time each.
	Rate    float64
	Clients int
	// Duration is measured after Warmup.
	Warmup, Duration time.Duration
	// Live allows an instance on live venues.
	Live bool
	// PID is the process of the service on this machine; zero if it is not here.
	PID int
	// Exchange and Symbol are what is traded and read.
	Exchange venuegate.Exchange
	Symbol   string

	// Channels receive signals in turn, because the service limits the signals of a channel.
	Channels []Channel
	// Signal is a JSON object that is sent with a requestId of its own each time; empty is a
	// signal that trades nothing.
	Signal string
	// HeaderPrefix is the prefix of the service's header names.
	HeaderPrefix string

	Events EventsOptions
	Stream StreamOptions

	// Flags are recorded in the result.
	Flags map[string]string
	// Version is that of the tool.
	Version string
}

// Channel is a channel that receives signals: its address and the secret that signs them.
type Channel struct{ URL, Secret string }

// EventsOptions are the receiver of events.
type EventsOptions struct {
	// Listen is the address at which it receives.
	Listen string
	// Register creates an endpoint for an address and returns its secret and what removes it.
	Register func(ctx context.Context, url string) (secret string, remove func(context.Context) error, err error)
}

// StreamOptions are the subscribers of the stream.
type StreamOptions struct {
	Subscribers int
	// Channels are the topics. EachOf is how many of them a connection has, in turn; zero is all.
	Channels []string
	EachOf   int
	// Slow and Never are the shares of subscribers that read slowly or not at all.
	Slow, Never float64
	// ConnectRate is the number of connections that are opened per second.
	ConnectRate float64
	// Verified is the number of subscribers that decode every message.
	Verified int
}

// Scenario is a kind of load.
type Scenario struct {
	Name string
	// Does is one line about it.
	Does string
	// Streams reports whether it has subscribers in the place of requests.
	Streams bool
	run     func(ctx context.Context, r *run) error
}

// Scenarios returns all scenarios.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "orders", Does: "orders that end at once without a fill", run: sending(openOrders)},
		{Name: "amend", Does: "changes of the price of resting orders", run: sending(openAmendments)},
		{Name: "cancel", Does: "resting orders that are placed and cancelled", run: sending(openCancellations)},
		{Name: "mixed", Does: "reads, orders, changes and cancellations, 6 : 2 : 1 : 1", run: sending(openMixed)},
		{Name: "reads", Does: "lists and records over REST", run: sending(openReads)},
		{Name: "hooks", Does: "signed signals to a channel", run: sending(openHooks)},
		{Name: "events", Does: "orders, and their events at a receiver here", run: sending(openEvents)},
		{Name: "stream", Does: "subscribers of the stream", Streams: true, run: runStream},
		{Name: "reconnect", Does: "subscribers that connect again all at once while others read", Streams: true, run: runReconnect},
		{Name: "slow-readers", Does: "subscribers beside others that read slowly or not at all", Streams: true, run: runSlowReaders},
	}
}

// Select returns the scenario of a name.
func Select(name string) (Scenario, bool) {
	all := Scenarios()
	i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })
	if i < 0 {
		return Scenario{}, false
	}
	return all[i], true
}

// run is one run of a scenario.
type run struct {
	Options
	// id begins the requestIds of the run.
	id       string
	service  *service
	client   *venuegate.Client
	recorder *recorder
	figures  []Figure
	faults   *faults
	monitor  *monitor
}

// key returns the API key of a request or of a connection.
func (r *run) key(n int) string { return r.Keys[n%len(r.Keys)] }

// errLive is returned for an instance on live venues that was not allowed.
var errLive = errors.New("the service trades on live venues; set --live to load it all the same")

// Run loads a service and returns what it measured, also when ctx ends before the duration.
// progress receives a line each second.
func (s Scenario) Run(ctx context.Context, o Options, progress io.Writer) (*Result, error) {
	client, err := venuegate.NewClient(venuegate.Options{URL: o.URL, Key: o.Keys[0]})
	if err != nil {
		return nil, err
	}
	r := &run{
		Options: o, id: strings.ToLower(rand.Text()[:10]), client: client, service: newService(o),
		recorder: newRecorder(o.Duration), faults: newFaults(), monitor: newMonitor(o.PID, progress),
	}
	defer r.service.client.CloseIdleConnections()
	if err := r.permitted(ctx); err != nil {
		return nil, err
	}
	if err := s.run(ctx, r); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return r.result(s)
}

// permitted returns errLive if the service trades on live venues and that is not allowed.
func (r *run) permitted(ctx context.Context) error {
	known, err := r.client.ListVenues(ctx)
	if err != nil {
		return fmt.Errorf("read the venues of the service: %w", err)
	}
	live := slices.ContainsFunc(known, func(v venuegate.Venue) bool { return v.Environment == "live" })
	if live && !r.Live {
		return errLive
	}
	return nil
}

// begin starts the clock of the run, and the progress. The latter ends with the returned
// function.
func (r *run) begin(ctx context.Context) (schedule, func()) {
	at := schedule{start: time.Now(), rate: r.Rate, requests: int(r.Rate * (r.Warmup + r.Duration).Seconds())}
	r.recorder.begin(at.start, r.Warmup)
	return at, r.monitor.watch(ctx, r.recorder)
}

func (r *run) result(s Scenario) (*Result, error) {
	latencies, err := r.recorder.latencies()
	if err != nil {
		return nil, err
	}
	// What came after the end has no whole second.
	seconds := r.recorder.seconds
	seconds = seconds[:min(len(seconds), int((r.Warmup+r.Duration)/time.Second))]
	return &Result{
		Scenario: s.Name, Started: r.recorder.start.UTC(), Version: r.Version, Machine: thisMachine(), Flags: r.Flags,
		Latencies: latencies, Seconds: seconds, Figures: r.figures, Faults: r.faults.list(),
		WarmupSec: r.Warmup.Seconds(), DurationSec: r.Duration.Seconds(),
	}, nil
}

// add appends a figure of the scenario.
func (r *run) add(name string, value float64, unit string) {
	r.figures = append(r.figures, Figure{Name: name, Value: value, Unit: unit})
}

// sender sends the requests of a scenario. send is called by every client, one request at a
// time each, and records what becomes of it.
type sender interface {
	send(ctx context.Context, client int, q request)
	// close removes what the run has left at the service, such as resting orders.
	close(ctx context.Context) error
}

// closeMax bounds the end of a scenario.
const closeMax = 30 * time.Second

// sending returns the run of a scenario that sends requests.
func sending(open func(ctx context.Context, r *run) (sender, error)) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		s, err := open(ctx, r)
		if err != nil {
			return err
		}
		at, end := r.begin(ctx)
		before := r.monitor.processorTime()
		at.run(ctx, r.Clients, s.send, func(q request) { r.recorder.fail("not sent", q.due, "no client was free") })
		if used := r.monitor.processorTime() - before; used > 0 {
			r.add("processor time of the service, a request", float64(used.Microseconds())/float64(max(at.requests, 1)), "µs")
		}
		end()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeMax)
		defer cancel()
		return s.close(closing)
	}
}
