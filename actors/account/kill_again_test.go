//go:build !race

package account

import "testing"

// restartPoints is the number of points of a start at which the account is killed again: those
// until its orders are known.
const restartPoints = 10

// An account is killed again after each step of the start that follows a kill. Two kills may
// have left two orders without an outcome, so that no third is sent: then the position is kept
// as it was protected, or closed. The race detector takes ten times as long, and finds nothing
// here: the account has one goroutine.
func TestKillAgainWithinTheStart(t *testing.T) { killWithinActs(t, restartPoints) }
