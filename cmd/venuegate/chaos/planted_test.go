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

// plantedBug is a bug that the checker must find.
type plantedBug struct {
	name    string
	variant overlay.Variant
	// provoke creates the conditions of the bug, once or in every round.
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
		Edits: []overlay.Edit{behind("send-first", fileAccount, "\tout := a.state.finish(a.context)\n", "sendFirst(&out)")},
		Added: map[string]string{"actors/account/send_first.go": sendFirstSource},
	}, (*world).dieYoung, false, ruleDuplicate},
	{"an unknown outcome reported as a rejection", overlay.Variant{Edits: []overlay.Edit{{
		Name: "reject-unknown", File: filePlace, Old: "\t\ts.markUnknown(step, o)\n\tdefault:", New: "\t\ts.notPlaced(step, o, notSent(s.exchange, in.err))\n\tdefault:",
	}}}, (*world).loseAnswers, false, ruleVerdict},
	{"a repeated signed request counted as a new one", overlay.Variant{
		Edits: []overlay.Edit{{Name: "not-implied", File: "transport/hooks/authenticate.go", Old: "strings.ToLower(signature)", New: "strings.ToLower(signature) + now()"}},
		Added: map[string]string{"transport/hooks/now.go": "package hooks\n\nimport \"time\"\n\nfunc now() string { return time.Now().String() }\n"},
	}, (*world).work, false, ruleTwice},
	{"a rejected delivery counted as delivered", overlay.Variant{Edits: []overlay.Edit{{
		Name: "always-delivered", File: "actors/delivery/attempt.go", Old: "if in.attempt.Err == nil {", New: "if in.attempt.Code != 0 || in.attempt.Err == nil {",
	}}}, (*world).work, false, ruleEvents},
	{"a signal executed after it expired", overlay.Variant{Edits: []overlay.Edit{
		{Name: "never-late", File: filePlan, Old: "bool { return !m.Now.Before(t.ExpiresAt.Time) }", New: "bool { return false }"},
		// The order's own deadline would also stop it.
		{Name: "no-deadline", File: filePlan, Old: "if t.ExpiresAt.Before(deadline) {", New: "if false {"},
	}}, (*world).oversleep, true, ruleLate},
}

// sendFirstSource sends orders before their commit, and delays the commit.
const sendFirstSource = `package account

import (
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/actors/step"
)

func sendFirst(out *step.Output[effect]) {
	isPlace := func(e effect) bool { _, is := e.(callPlace); return is }
	i := slices.IndexFunc(out.After, isPlace)
	if out.Creates == "" || i < 0 {
		return
	}
	out.Now = append(out.Now, out.After[i], sleep{})
	out.After = slices.Delete(out.After, i, i+1)
}

type sleep struct{}

func (sleep) run(*account, *actors.Context) { time.Sleep(20 * time.Millisecond) }
`

// plantedTries is the number of attempts to provoke a bug: on a slow machine a service
// may die before it has done anything.
const plantedTries = 4

// TestPlantedBugs checks that the checker finds each planted bug.
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
			t.Errorf("not found; the checker found only %v", found)
		})
	}
}

// tryIn provokes the bug, stops the service and returns the violations found.
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

// plantedSettleMax is enough for outcomes that are found, not for orders whose absence
// must be confirmed.
const plantedSettleMax = 10 * time.Second

// loseAnswers drops connections after the venue has executed the request.
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

// work only runs load.
func (w *world) work() { w.loadFor(time.Second) }

// oversleep keeps the service stopped until accepted signals have expired.
func (w *world) oversleep() {
	h := w.makeHook(w.customer, "webhook", map[string]any{"maxAgeSec": int(staleAge.Seconds())})
	w.leaveStale(&h)
}

// dieYoung kills the service soon after its start.
func (w *world) dieYoung() {
	w.liveFor(100*time.Millisecond + time.Duration(w.random.Int64N(int64(200*time.Millisecond))))
	w.mustStart()
}
