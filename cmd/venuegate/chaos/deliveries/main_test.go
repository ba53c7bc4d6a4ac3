//go:build chaos

package deliveries

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// childEnv says that this process is the one that is killed; its arguments are in
// the command line.
const childEnv = "VENUEGATE_DELIVERIES_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	if err := runChild(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// size is how much a run does.
type size struct {
	events, kills int
	// within bounds all of it.
	within time.Duration
}

var sizes = map[string]size{
	"sample": {events: 20_000, kills: 15, within: 20 * time.Minute},
	"full":   {events: 200_000, kills: 100, within: 25 * time.Minute},
	"night":  {events: 1_000_000, kills: 500, within: 3 * time.Hour},
}

// chosen is the size of this run and the seed of its choices.
func chosen(t *testing.T) (size, uint64) {
	t.Helper()
	name := os.Getenv("CHAOS")
	if name == "" {
		name = "full"
	}
	s, known := sizes[name]
	if !known {
		t.Fatalf("CHAOS is %q; it may be sample, full or night", name)
	}
	seed := rand.Uint64()
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return s, seed
}

const customer = "c1"

// receiverKind is how a receiver behaves; it is its path too.
type receiverKind string

const (
	kindMoody receiverKind = "/moody"
	kindRude  receiverKind = "/rude"
	kindDead  receiverKind = "/dead"
)

// way is one endpoint: what it takes, how its other end behaves, and how many of
// a hundred events are for it.
type way struct {
	id    string
	takes persistence.EventType
	to    receiverKind
	share int
}

// ways share all events: each is for one endpoint.
var ways = []way{
	{"end_filled", persistence.EventOrderFilled, kindMoody, 40},
	{"end_partial", persistence.EventOrderPartiallyFilled, kindMoody, 30},
	{"end_closed", persistence.EventPositionClosed, kindRude, 28},
	{"end_alert", persistence.EventAlertFired, kindDead, 2},
}

// wayOf is the endpoint that takes events of a type.
func wayOf(t persistence.EventType) way {
	for _, w := range ways {
		if w.takes == t {
			return w
		}
	}
	panic("no endpoint takes " + string(t))
}

func (w way) secret() string { return "secret of " + w.id }

// record of the endpoint, whose other end is at a base URL.
func (w way) record(base string) persistence.Endpoint {
	return persistence.Endpoint{
		ID: w.id, Customer: customer, Kind: persistence.EndpointWebhook, Target: base + string(w.to) + "/" + w.id,
		Types: []persistence.EventType{w.takes}, Sealed: []byte(w.secret()), CreatedAt: venues.At(time.Unix(1, 0)),
	}
}
