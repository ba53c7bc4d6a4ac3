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

// FaultAction is what a fault does.
type FaultAction string

// Actions. Delay, DropConnection and Rewrite apply to requests and to streams.
const (
	// FaultDelay waits args.delayMs before the request is executed or the
	// message is sent. A request goes on as soon as the faults are cleared.
	FaultDelay FaultAction = "delay"
	// FaultTimeoutBefore does not execute the request and never answers it;
	// the connection is closed after args.delayMs (default one minute).
	FaultTimeoutBefore FaultAction = "timeout_before"
	// FaultTimeoutAfter executes the request and never answers it.
	FaultTimeoutAfter FaultAction = "timeout_after"
	// FaultStatus answers args.status with args.body. The request is executed
	// only with args.executed.
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
	// FaultMute drops the messages for as long as the fault stands.
	FaultMute FaultAction = "mute"
	// FaultRewrite sends the answer of an executed request, or the message, with
	// args.new in the place of every args.old; without args.old it sends args.new
	// alone.
	FaultRewrite FaultAction = "rewrite"
	// FaultBan refuses all requests of the address for args.delayMs (default
	// two minutes).
	FaultBan FaultAction = "ban"
	// FaultMaintenance answers as the venue does while it is closed.
	FaultMaintenance FaultAction = "maintenance"
	// FaultReject refuses the request with the venue's error args.code and
	// args.message.
	FaultReject FaultAction = "reject"
)

// carrier is where a fault strikes.
type carrier uint8

const (
	onRequest carrier = 1 << iota
	onStream
)

var faultCarriers = map[FaultAction]carrier{
	FaultDelay: onRequest | onStream, FaultDropConnection: onRequest | onStream, FaultRewrite: onRequest | onStream,
	FaultTimeoutBefore: onRequest, FaultTimeoutAfter: onRequest, FaultStatus: onRequest,
	FaultBan: onRequest, FaultMaintenance: onRequest, FaultReject: onRequest,
	FaultDuplicate: onStream, FaultReorder: onStream, FaultGap: onStream, FaultMute: onStream,
}

// FaultMatch selects what a fault strikes. Path is a prefix of the venue's own
// path; Op is the HTTP method or, for streams, a prefix of the topic. Empty
// matches everything. An operation on a socket is a request with its name as Op.
type FaultMatch struct {
	Path string `json:"path,omitempty"`
	Op   string `json:"op,omitempty"`
}

// FaultArgs are the parameters of an action.
type FaultArgs struct {
	Status  int `json:"status,omitempty"`
	DelayMs int `json:"delayMs,omitempty"`
	// Body is sent as it is; a JSON string without its quotes.
	Body json.RawMessage `json:"body,omitempty"`
	// Code is the venue's error code: a number or a string.
	Code     json.RawMessage `json:"code,omitempty"`
	Message  string          `json:"message,omitempty"`
	Executed bool            `json:"executed,omitempty"`
	Old      string          `json:"old,omitempty"`
	New      string          `json:"new,omitempty"`
}

// Rewritten is a message as FaultRewrite sends it.
func (a FaultArgs) Rewritten(message []byte) []byte {
	if a.Old == "" {
		return []byte(a.New)
	}
	return bytes.ReplaceAll(message, []byte(a.Old), []byte(a.New))
}

// Text is the body as bytes to send.
func (a FaultArgs) Text() string { return rawText(a.Body) }

// CodeText is the error code without quotes.
func (a FaultArgs) CodeText() string { return rawText(a.Code) }

func rawText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Delay is the delay, or otherwise where none is given.
func (a FaultArgs) Delay(otherwise time.Duration) time.Duration {
	if a.DelayMs == 0 {
		return otherwise
	}
	return time.Duration(a.DelayMs) * time.Millisecond
}

// FaultRequest is a scripted fault. Times zero means for ever; without a
// probability it strikes whenever it matches.
type FaultRequest struct {
	Match       FaultMatch  `json:"match"`
	Do          FaultAction `json:"do"`
	Args        FaultArgs   `json:"args"`
	Times       int         `json:"times,omitempty"`
	Probability *Decimal    `json:"probability,omitempty"`
	Seed        uint64      `json:"seed,omitempty"`
}

// FaultInfo is a fault with how often it matched and struck.
type FaultInfo struct {
	ID int `json:"id"`
	FaultRequest
	Matched int `json:"matched"`
	Struck  int `json:"struck"`
	cleared <-chan struct{}
}

// Cleared is closed once the fault was removed.
func (f FaultInfo) Cleared() <-chan struct{} { return f.cleared }

type fault struct {
	FaultInfo
	rng *rand.Rand
	// odds is the probability in millionths.
	odds int64
}

const (
	oddsAlways   = 1_000_000
	faultsMax    = 1000
	faultDelayMs = 10 * 60 * 1000
)

// Faults decides which scripted fault strikes. Safe for concurrent use.
type Faults struct {
	mu     sync.Mutex
	lastID int
	list   []*fault
	// cleared is closed when what is in the list is removed; nil while it is empty.
	cleared chan struct{}
	// count lets the common case, no fault at all, pass without the lock.
	count atomic.Int32
}

func outOfRange(field, given, allowed string) error {
	return venues.InvalidFields(venues.FieldFault{Field: field, Rule: "out_of_range", Given: given, Allowed: allowed})
}

// Add appends a fault and answers its id. Of several that match the earliest
// strikes.
func (f *Faults) Add(request FaultRequest) (int, error) {
	probability := decimal.NewFromInt(1)
	if request.Probability != nil {
		probability = request.Probability.Decimal
	}
	switch {
	case faultCarriers[request.Do] == 0:
		return 0, venues.InvalidFields(venues.FieldFault{Field: "do", Rule: "unknown_value", Given: string(request.Do)})
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
		return 0, venues.Errorf(venues.CodeInvalidRequest, "there are %d faults already", faultsMax).With("limit", faultsMax)
	}
	f.lastID++
	if f.cleared == nil {
		f.cleared = make(chan struct{})
	}
	f.list = append(f.list, &fault{
		FaultInfo: FaultInfo{ID: f.lastID, FaultRequest: request, cleared: f.cleared},
		rng:       rand.New(rand.NewPCG(request.Seed, uint64(f.lastID))),
		odds:      probability.Mul(decimal.NewFromInt(oddsAlways)).IntPart(),
	})
	f.count.Store(int32(len(f.list)))
	return f.lastID, nil
}

// Clear removes all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
	f.count.Store(0)
	if f.cleared != nil {
		close(f.cleared)
		f.cleared = nil
	}
}

// List shows the faults, those that are used up included.
func (f *Faults) List() []FaultInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	infos := make([]FaultInfo, len(f.list))
	for i, one := range f.list {
		infos[i] = one.FaultInfo
	}
	return infos
}

// StrikeRequest says which fault a request meets, if any.
func (f *Faults) StrikeRequest(path, method string) (FaultInfo, bool) {
	return f.strike(path, func(one *fault) bool {
		return one.strikes(onRequest) && (one.Match.Op == "" || strings.EqualFold(one.Match.Op, method))
	})
}

// StrikeMessage says which fault a message of a stream meets, if any.
func (f *Faults) StrikeMessage(path, topic string) (FaultInfo, bool) {
	return f.strike(path, func(one *fault) bool {
		return one.strikes(onStream) && strings.HasPrefix(topic, one.Match.Op)
	})
}

// StrikeHandshake says which fault the opening of a stream meets, if any.
// Actions that also apply to messages strike it only where Op names the method,
// GET.
func (f *Faults) StrikeHandshake(path string) (FaultInfo, bool) {
	return f.strike(path, func(one *fault) bool {
		if one.Match.Op == "" {
			return !one.strikes(onStream)
		}
		return one.strikes(onRequest) && strings.EqualFold(one.Match.Op, "GET")
	})
}

func (one *fault) strikes(where carrier) bool { return faultCarriers[one.Do]&where != 0 }

func (f *Faults) strike(path string, matches func(*fault) bool) (FaultInfo, bool) {
	if f.count.Load() == 0 {
		return FaultInfo{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.list {
		if one.Times > 0 && one.Struck >= one.Times || !strings.HasPrefix(path, one.Match.Path) || !matches(one) {
			continue
		}
		one.Matched++
		if one.odds < oddsAlways && one.rng.Int64N(oddsAlways) >= one.odds {
			continue
		}
		one.Struck++
		return one.FaultInfo, true
	}
	return FaultInfo{}, false
}
