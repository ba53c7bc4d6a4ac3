package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/transport/admin"
	"venuegate/venues"
)

// TestExamineKey: what a key may do is judged by what the service needs, and no
// more.
func TestExamineKey(t *testing.T) {
	soon, later := time.Now().Add(24*time.Hour), time.Now().Add(365*24*time.Hour)
	for _, c := range []struct {
		name    string
		account venues.Account
		want    []admin.FindingStatus
	}{
		{"fit", keyed{facts: venues.KeyFacts{Known: true, CanTrade: true, IPBound: true, ExpiresAt: later}}, []admin.FindingStatus{admin.FindingOK}},
		{"not told", keyed{facts: venues.KeyFacts{CanTrade: true}}, []admin.FindingStatus{admin.FindingOK}},
		{"may not trade", keyed{facts: venues.KeyFacts{}}, []admin.FindingStatus{admin.FindingFailed}},
		{"may withdraw", keyed{facts: venues.KeyFacts{Known: true, CanTrade: true, CanWithdraw: true, IPBound: true}}, []admin.FindingStatus{admin.FindingFailed}},
		{"from everywhere, ends soon", keyed{facts: venues.KeyFacts{Known: true, CanTrade: true, ExpiresAt: soon}}, []admin.FindingStatus{admin.FindingOK, admin.FindingWarning, admin.FindingWarning}},
		{"no answer", keyed{err: errors.New("broken pipe")}, []admin.FindingStatus{admin.FindingWarning}},
		{"venue that never tells", struct{ venues.Account }{}, []admin.FindingStatus{admin.FindingWarning}},
	} {
		findings := examineKey(t.Context(), c.account)
		got := make([]admin.FindingStatus, len(findings))
		for i, f := range findings {
			got[i] = f.Status
			if f.Status != admin.FindingOK && f.Advice == "" {
				t.Errorf("%s: %q comes without advice", c.name, f.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, findings, c.want)
		}
	}
}

// TestExamineAccountOfAVenueThatDoesNotServe: a venue that answers nobody now has
// not refused the key.
func TestExamineAccountOfAVenueThatDoesNotServe(t *testing.T) {
	for code, refused := range map[venues.Code]bool{
		venues.CodeExchangeUnavailable: false, venues.CodeRateLimited: false, venues.CodeMaintenance: false, venues.CodeUnauthorized: true,
	} {
		findings := examineAccount(t.Context(), moded{err: venues.Errorf(code, "no")})
		if len(findings) != 1 || findings[0].Status != admin.FindingFailed || strings.Contains(findings[0].Text, "refuses the key") != refused {
			t.Errorf("%s: %+v", code, findings)
		}
	}
}

// moded is an account that is asked for its mode.
type moded struct {
	venues.Account
	err error
}

func (a moded) Mode(context.Context) (venues.AccountMode, error) { return venues.AccountMode{}, a.err }

// keyed is an account that tells of its key.
type keyed struct {
	venues.Account
	facts venues.KeyFacts
	err   error
}

func (k keyed) KeyFacts(context.Context) (venues.KeyFacts, error) { return k.facts, k.err }
