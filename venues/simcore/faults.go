package simcore

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// FaultAction is the effect of a fault.
type FaultAction string

// Actions. Delay, DropConnection and Rewrite apply to requests and to streams.
const (
	// FaultDelay delays for args.delayMs before the request is executed or the
	// message is sent. A delayed request resumes as soon as the faults are cleared.
	FaultDelay FaultAction = "delay"
	// FaultTimeoutBefore does not execute the request and never answers it;
	// the connection is closed after args.delayMs (default one minute).
	FaultTimeoutBefore FaultAction = "timeout_before"
	// FaultTimeoutAfter executes the request and never answers it.
	FaultTimeoutAfter FaultAction = "timeout_after"
	// FaultStatus responds with the HTTP status args.status and args.body. The request
	// is executed only with args.executed.
	FaultStatus FaultAction = "status"
	// FaultDropConnection closes the connection: before the request is
	// executed, or after it with args.executed; before the message is sent.
	FaultDropConnection FaultAction = "drop_connection"
	// FaultDuplicate sends the message twice.
	FaultDuplicate FaultAction = "duplicate"
	// FaultReorder sends the message after the next one of its connection.
	FaultReorder FaultAction = "reorder"
	// FaultGap drops the message.
	FaultGap FaultAction = "gap"
	// FaultStalled drops all messages until the fault is cleared or used up: the
	// stream is open but stalled.
	FaultStalled FaultAction = "mute"
	// FaultRewrite replaces every args.old in the response of an executed request, or
	// in the message, with args.new. Without args.old it sends args.new alone.
	FaultRewrite FaultAction = "rewrite"
	// FaultBan rejects all requests of the address for args.delayMs (default
	// two minutes).
	FaultBan FaultAction = "ban"
	// FaultMaintenance responds as the venue does during maintenance.
	FaultMaintenance FaultAction = "maintenance"
	// FaultReject rejects the request with the venue's error args.code and
	// args.message.
	FaultReject FaultAction = "reject"
)

// faultTarget is the set of targets that a fault applies to.
type faultTarget uint8

const (
	onRequest faultTarget = 1 << iota
	onStream
)

var faultTargets = map[FaultAction]faultTarget{
	FaultDelay: onRequest | onStream, FaultDropConnection: onRequest | onStream, FaultRewrite: onRequest | onStream,
	FaultTimeoutBefore: onRequest, FaultTimeoutAfter: onRequest, FaultStatus: onRequest,
	FaultBan: onRequest, FaultMaintenance: onRequest, FaultReject: onRequest,
	FaultDuplicate: onStream, FaultReorder: onStream, FaultGap: onStream, FaultStalled: onStream,
}

// FaultMatch selects the requests and messages that a fault applies to. Path is a
// prefix of the venue's path; Op is the HTTP method or, for streams, a prefix of the
// topic. Empty matches everything. An operation on a WebSocket session is a request
// whose Op is its name.
type FaultMatch struct {
	Path string `json:"path,omitempty"`
	Op   string `json:"op,omitempty"`
}

// FaultArgs are the parameters of an action.
type FaultArgs struct {
	Status  int `json:"status,omitempty"`
	DelayMs int `json:"delayMs,omitempty"`
	// Body is sent unchanged, a JSON string without its quotes.
	Body json.RawMessage `json:"body,omitempty"`
	// Code is the venue's error code: a number or a string.
	Code     json.RawMessage `json:"code,omitempty"`
	Message  string          `json:"message,omitempty"`
	Executed bool            `json:"executed,omitempty"`
	Old      string          `json:"old,omitempty"`
	New      string          `json:"new,omitempty"`
}

// Rewritten returns a message as FaultRewrite sends it.
func (a FaultArgs) Rewritten(message []byte) []byte {
	if a.Old == "" {
		return []byte(a.New)
	}
	return bytes.ReplaceAll(message, []byte(a.Old), []byte(a.New))
}

// Text returns the body to send.
func (a FaultArgs) Text() string { return rawText(a.Body) }

// CodeText returns the error code without quotes.
func (a FaultArgs) CodeText() string { return rawText(a.Code) }

func rawText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Delay returns the delay, or otherwise where it is zero.
func (a FaultArgs) Delay(otherwise time.Duration) time.Duration {
	if a.DelayMs == 0 {
		return otherwise
	}
	return time.Duration(a.DelayMs) * time.Millisecond
}

// FaultRequest is a scripted fault. It applies Times times, without limit where that
// is zero, and without a Probability to everything that it matches.
type FaultRequest struct {
	Match       FaultMatch  `json:"match"`
	Do          FaultAction `json:"do"`
	Args        FaultArgs   `json:"args"`
	Times       int         `json:"times,omitempty"`
	Probability *Decimal    `json:"probability,omitempty"`
	Seed        uint64      `json:"seed,omitempty"`
}

// InjectedFault is a fault with the counts of its matches and applications.
type InjectedFault struct {
	ID int `json:"id"`
	FaultRequest
	Matched int `json:"matched"`
	Applied int `json:"struck"`
	cleared <-chan struct{}
}

// Cleared returns a channel that is closed when the fault is removed.
func (f InjectedFault) Cleared() <-chan struct{} { return f.cleared }

type fault struct {
	InjectedFault
	rng *rand.Rand
	// odds is the probability in millionths.
	odds int64
}

const (
	oddsAlways   = 1_000_000
	faultsMax    = 1000
	faultDelayMs = 10 * 60 * 1000
)

// FaultInjector decides which scripted fault applies. The zero value is ready to use.
// It is safe for concurrent use.
type FaultInjector struct {
	mu     sync.Mutex
	lastID int
	list   []*fault
	// cleared is closed when the listed faults are removed; nil while there are none.
	cleared chan struct{}
	// count avoids the lock in the common case, no faults.
	count atomic.Int32
}

func outOfRange(field, given, allowed string) error {
	return venues.InvalidFields(venues.FieldError{Field: field, Rule: "out_of_range", Given: given, Allowed: allowed})
}

// Add appends a fault and returns its id. If several match, the earliest applies. The
// error is a *venues.Error.
func (f *FaultInjector) Add(request FaultRequest) (int, error) {
	probability := decimal.NewFromInt(1)
	if request.Probability != nil {
		probability = request.Probability.Decimal
	}
	switch {
	case faultTargets[request.Do] == 0:
		return 0, venues.InvalidFields(venues.FieldError{Field: "do", Rule: "unknown_value", Given: string(request.Do)})
	case request.Times < 0:
		return 0, outOfRange("times", strconv.Itoa(request.Times), "0 or more")
	case probability.IsNegative() || probability.GreaterThan(decimal.NewFromInt(1)):
		return 0, outOfRange("probability", venues.FormatDecimal(probability), "0 to 1")
	case request.Args.DelayMs < 0 || request.Args.DelayMs > faultDelayMs:
		return 0, outOfRange("args.delayMs", strconv.Itoa(request.Args.DelayMs), "0 to "+strconv.Itoa(faultDelayMs))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) >= faultsMax {
		return 0, venues.Errorf(venues.CodeInvalidRequest, "too many faults, at most %d", faultsMax).With("limit", faultsMax)
	}
	f.lastID++
	if f.cleared == nil {
		f.cleared = make(chan struct{})
	}
	f.list = append(f.list, &fault{
		InjectedFault: InjectedFault{ID: f.lastID, FaultRequest: request, cleared: f.cleared},
		rng:           rand.New(rand.NewPCG(request.Seed, uint64(f.lastID))),
		odds:          probability.Mul(decimal.NewFromInt(oddsAlways)).IntPart(),
	})
	f.count.Store(int32(len(f.list)))
	return f.lastID, nil
}

// Clear removes all faults.
func (f *FaultInjector) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
	f.count.Store(0)
	if f.cleared != nil {
		close(f.cleared)
		f.cleared = nil
	}
}

// List returns the faults, including those that are used up.
func (f *FaultInjector) List() []InjectedFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	infos := make([]InjectedFault, len(f.list))
	for i, one := range f.list {
		infos[i] = one.InjectedFault
	}
	return infos
}

// MatchRequest returns the fault that applies to a request, if any.
func (f *FaultInjector) MatchRequest(path, method string) (InjectedFault, bool) {
	return f.match(path, func(one *fault) bool {
		return one.appliesTo(onRequest) && (one.Match.Op == "" || strings.EqualFold(one.Match.Op, method))
	})
}

// MatchMessage returns the fault that applies to a message of a stream, if any.
func (f *FaultInjector) MatchMessage(path, topic string) (InjectedFault, bool) {
	return f.match(path, func(one *fault) bool {
		return one.appliesTo(onStream) && strings.HasPrefix(topic, one.Match.Op)
	})
}

// MatchHandshake returns the fault that applies to the opening of a stream, if any.
// Actions that also apply to messages apply to it only where Op names the method,
// GET.
func (f *FaultInjector) MatchHandshake(path string) (InjectedFault, bool) {
	return f.match(path, func(one *fault) bool {
		if one.Match.Op == "" {
			return !one.appliesTo(onStream)
		}
		return one.appliesTo(onRequest) && strings.EqualFold(one.Match.Op, "GET")
	})
}

func (one *fault) appliesTo(where faultTarget) bool { return faultTargets[one.Do]&where != 0 }

func (f *FaultInjector) match(path string, matches func(*fault) bool) (InjectedFault, bool) {
	if f.count.Load() == 0 {
		return InjectedFault{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.list {
		if one.Times > 0 && one.Applied >= one.Times || !strings.HasPrefix(path, one.Match.Path) || !matches(one) {
			continue
		}
		one.Matched++
		if one.odds < oddsAlways && one.rng.Int64N(oddsAlways) >= one.odds {
			continue
		}
		one.Applied++
		return one.InjectedFault, true
	}
	return InjectedFault{}, false
}
