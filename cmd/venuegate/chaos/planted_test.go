//go:build chaos

package chaos

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/cmd/venuegate/chaos/overlay"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// plantedBug is a mistake that the checker must find.
type plantedBug struct {
	name    string
	variant overlay.Variant
	// provoke gives the mistake its chance, once or in every round.
	provoke func(*world)
	once    bool
	breaks  rule
}

var plantedBugs = []plantedBug{
	{"sent again after a lost answer", overlay.Variant{Edits: []overlay.Edit{
		behind("resend", fileEffects, "\t\treport, err := a.deps.Venue.Place(c, e.request)\n",
			"if errors.Is(err, venues.ErrOutcomeUnknown) { report, err = a.deps.Venue.Place(c, e.request) }"),
	}}, (*world).loseAnswers, false, ruleDuplicate},
	{"sent before the intent is durable", overlay.Variant{
		Edits: []overlay.Edit{before("send-first", fileCommit, "\ta.committing = append(a.committing, out)\n", "out.after = sendFirst(a, ctx, out)")},
		Added: map[string]string{"actors/account/send_first.go": sendFirstSource},
	}, (*world).dieYoung, false, ruleDuplicate},
	{"an unknown outcome called a refusal", overlay.Variant{Edits: []overlay.Edit{{
		Name: "reject-unknown", File: filePlace, Old: "\t\ts.lose(m, o)\n\tdefault:", New: "\t\ts.notPlaced(m, o, s.notSent(in.err))\n\tdefault:",
	}}}, (*world).loseAnswers, false, ruleVerdict},
	{"a signed request that is new each time", overlay.Variant{
		Edits: []overlay.Edit{{Name: "not-implied", File: "transport/hooks/proof.go", Old: "strings.ToLower(signature)", New: "strings.ToLower(signature) + now()"}},
		Added: map[string]string{"transport/hooks/now.go": "package hooks\n\nimport \"time\"\n\nfunc now() string { return time.Now().String() }\n"},
	}, (*world).work, false, ruleTwice},
	{"an event delivered to whoever refuses it", overlay.Variant{Edits: []overlay.Edit{{
		Name: "always-delivered", File: "actors/delivery/attempt.go", Old: "if in.attempt.Err == nil {", New: "if in.attempt.Code != 0 || in.attempt.Err == nil {",
	}}}, (*world).work, false, ruleEvents},
	{"a signal executed however late", overlay.Variant{Edits: []overlay.Edit{
		{Name: "never-late", File: filePlan, Old: "bool { return !m.now.Before(t.ExpiresAt.Time) }", New: "bool { return false }"},
		// The order's own deadline stops it as well.
		{Name: "no-deadline", File: filePlan, Old: "if t.ExpiresAt.Before(deadline) {", New: "if false {"},
	}}, (*world).oversleep, true, ruleLate},
}

// sendFirstSource sends orders and gives the commit a moment's delay: what an
// eager sender with a lazy store does.
const sendFirstSource = `package account

import (
	"time"

	"venuegate/actors"
)

func sendFirst(a *account, ctx *actors.Context, out *output) []effect {
	if out.intent == "" {
		return out.after
	}
	var rest []effect
	for _, e := range out.after {
		if send, is := e.(callPlace); is {
			send.run(a, ctx)
			continue
		}
		rest = append(rest, e)
	}
	time.Sleep(20 * time.Millisecond)
	return rest
}
`

// plantedTries is how often a mistake may miss its chance: on a slow machine a
// service may die before it has done anything.
const plantedTries = 4

// TestPlantedBugs: a checker that finds nothing is worth what it would find.
func TestPlantedBugs(t *testing.T) {
	for _, bug := range plantedBugs {
		total.plant()
		t.Run(bug.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, build(t, bug.variant), t.TempDir()+"/data")
			var found []violation
			for range plantedTries {
				found = bug.tryIn(w)
				if at := slices.IndexFunc(found, func(v violation) bool { return v.rule == bug.breaks }); at >= 0 {
					t.Logf("caught: %s: %s", found[at].rule, found[at].detail)
					total.caught(bug.name)
					return
				}
				w.mustStart()
			}
			t.Errorf("not caught; found only %v", found)
		})
	}
}

// tryIn gives the mistake its chances and ends the service to see what came of
// them.
func (b *plantedBug) tryIn(w *world) []violation {
	rounds := sized.planted
	if b.once {
		rounds = 1
	}
	for range rounds {
		b.provoke(w)
	}
	w.askAgain()
	w.settle(plantedSettleMax)
	found, _ := check(w, w.learn())
	return found
}

// plantedSettleMax is enough for outcomes that are found, not for those whose
// absence must be proven.
const plantedSettleMax = 10 * time.Second

// loseAnswers drops connections after the venue has executed.
func (w *world) loseAnswers() {
	for _, venue := range venues.All() {
		w.sim.fault(venue, simcore.FaultRequest{
			Match: simcore.FaultMatch{Path: tradePaths[venue], Op: http.MethodPost}, Do: simcore.FaultDropConnection,
			Args: simcore.FaultArgs{Executed: true}, Probability: &simcore.Decimal{Decimal: decimal.New(40, -2)}, Seed: w.random.Uint64(),
		})
	}
	w.loadFor(time.Second)
	for _, venue := range venues.All() {
		w.sim.clearFaults(venue)
	}
}

// work is nothing but load.
func (w *world) work() { w.loadFor(time.Second) }

// oversleep is down while signals that were taken grow too old.
func (w *world) oversleep() {
	h := w.makeHook(w.customer, "webhook", map[string]any{"maxAgeSec": int(staleAge.Seconds())})
	w.leaveStale(&h)
}

// dieYoung kills the service soon after it began to work.
func (w *world) dieYoung() {
	w.liveFor(100*time.Millisecond + time.Duration(w.random.Int64N(int64(200*time.Millisecond))))
	w.mustStart()
}
