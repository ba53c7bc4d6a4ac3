package console

import (
	"time"

	"venuegate/persistence"
)

// Call is who may make a call.
type Call struct {
	Method, Path string
	Roles        []persistence.Role
	StepUp       bool
	Own          bool
}

// Calls returns every call.
func (s *Console) Calls() (calls []Call) {
	for _, r := range s.routes() {
		calls = append(calls, Call{r.Method, Prefix + r.Path, r.roles, r.stepUp, r.record == nil})
	}
	return calls
}

// Hashed returns how many passwords were hashed.
func (p *Passwords) Hashed() int64 { return p.hashed.Load() }

// Freeze stops the clock of the second step.
func (s *Console) Freeze(at time.Time) { s.now = func() time.Time { return at } }

// MatchStep is matchStep.
var MatchStep = matchStep
