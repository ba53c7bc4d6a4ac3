package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// TestExamineKey checks the results for each set of permissions of a key.
func TestExamineKey(t *testing.T) {
	soon, later := time.Now().Add(24*time.Hour), time.Now().Add(365*24*time.Hour)
	for _, c := range []struct {
		name    string
		account venues.Account
		want    []registry.CheckStatus
	}{
		{"fit", keyAccount{facts: venues.KeyInfo{Known: true, CanTrade: true, IPBound: true, ExpiresAt: later}}, []registry.CheckStatus{registry.CheckOK}},
		{"permissions not reported", keyAccount{facts: venues.KeyInfo{CanTrade: true}}, []registry.CheckStatus{registry.CheckOK}},
		{"may not trade", keyAccount{facts: venues.KeyInfo{}}, []registry.CheckStatus{registry.CheckFailed}},
		{"may withdraw", keyAccount{facts: venues.KeyInfo{Known: true, CanTrade: true, CanWithdraw: true, IPBound: true}}, []registry.CheckStatus{registry.CheckFailed}},
		{"any address, expires soon", keyAccount{facts: venues.KeyInfo{Known: true, CanTrade: true, ExpiresAt: soon}}, []registry.CheckStatus{registry.CheckOK, registry.CheckWarning, registry.CheckWarning}},
		{"no answer", keyAccount{err: errors.New("broken pipe")}, []registry.CheckStatus{registry.CheckWarning}},
		{"venue without key permissions", struct{ venues.Account }{}, []registry.CheckStatus{registry.CheckWarning}},
	} {
		results := examineKey(t.Context(), c.account, false)
		got := make([]registry.CheckStatus, len(results))
		for i, f := range results {
			got[i] = f.Status
			if f.Status != registry.CheckOK && f.Advice == "" {
				t.Errorf("%s: advice for %q is empty, want a text", c.name, f.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, results, c.want)
		}
	}
}

// TestExamineAccountOfUnavailableVenue checks that a venue that is unavailable is not
// reported as rejecting the key.
func TestExamineAccountOfUnavailableVenue(t *testing.T) {
	for code, rejected := range map[venues.Code]bool{
		venues.CodeExchangeUnavailable: false, venues.CodeRateLimited: false, venues.CodeMaintenance: false, venues.CodeUnauthorized: true,
	} {
		results := examineAccount(t.Context(), modeAccount{err: venues.Errorf(code, "no")}, false)
		if len(results) != 1 || results[0].Status != registry.CheckFailed || strings.Contains(results[0].Text, "rejects the key") != rejected {
			t.Errorf("%s: results = %+v, want one failed, key rejected %v", code, results, rejected)
		}
	}
}

// TestExamineKeyThatMayWithdraw checks that a key that may withdraw is rejected unless the
// operator allows it, and likewise a key whose permissions cannot be read now.
func TestExamineKeyThatMayWithdraw(t *testing.T) {
	account := keyAccount{facts: venues.KeyInfo{Known: true, CanTrade: true, CanWithdraw: true, IPBound: true}}
	for allowed, want := range map[bool]registry.CheckStatus{false: registry.CheckFailed, true: registry.CheckWarning} {
		results := examineKey(t.Context(), account, allowed)
		if len(results) != 1 || results[0].Status != want || results[0].Text != "the key may withdraw money" {
			t.Errorf("allowed %v: results = %+v, want one with status %s", allowed, results, want)
		}
		for _, code := range []venues.Code{venues.CodeExchangeUnavailable, venues.CodeRateLimited, venues.CodeMaintenance} {
			results := examineKey(t.Context(), keyAccount{err: venues.Errorf(code, "no")}, allowed)
			if len(results) != 1 || results[0].Status != want || results[0].Advice == "" {
				t.Errorf("allowed %v, %s: results = %+v, want one with status %s and advice", allowed, code, results, want)
			}
		}
	}
}

// TestExamineWaitsForRateLimit checks that a query is repeated when the service uses up
// the same rate limit for a short time, and that a long wait is a failure.
func TestExamineWaitsForRateLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		limited int
		wait    time.Duration
		within  time.Duration
		queries int
		took    time.Duration
		want    registry.CheckStatus
	}{
		{"one short wait", 1, 2 * time.Second, 10 * time.Second, 2, 2 * time.Second, registry.CheckOK},
		{"two short waits", 2, 2 * time.Second, 10 * time.Second, 3, 4 * time.Second, registry.CheckOK},
		{"too many short waits", 3, 2 * time.Second, 10 * time.Second, 3, 4 * time.Second, registry.CheckFailed},
		{"a long wait", 1, time.Minute, 10 * time.Second, 1, 0, registry.CheckFailed},
		{"a wait beyond the deadline", 1, 4 * time.Second, 3 * time.Second, 1, 3 * time.Second, registry.CheckFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), c.within)
				defer cancel()
				account := &limitedAccount{limited: c.limited, wait: c.wait}
				results := examineKey(ctx, account, false)
				if len(results) != 1 || results[0].Status != c.want {
					t.Errorf("results = %+v, want one with status %s", results, c.want)
				}
				if took := time.Since(begun); account.queries != c.queries || took != c.took {
					t.Errorf("queries = %d in %s, want %d in %s", account.queries, took, c.queries, c.took)
				}
			})
		})
	}
}

// limitedAccount is an account whose first queries exceed a rate limit.
type limitedAccount struct {
	venues.Account
	limited int
	wait    time.Duration
	queries int
}

func (c *limitedAccount) KeyInfo(context.Context) (venues.KeyInfo, error) {
	if c.queries++; c.queries > c.limited {
		return venues.KeyInfo{Known: true, CanTrade: true, IPBound: true}, nil
	}
	err := venues.Errorf(venues.CodeRateLimited, "too many requests")
	err.RetryAfter = c.wait
	return venues.KeyInfo{}, err
}

// TestExamineUnfitAccount checks that an account that cannot trade derivatives fails.
func TestExamineUnfitAccount(t *testing.T) {
	results := examineAccount(t.Context(), modeAccount{mode: venues.AccountMode{AccountType: "spot", NoDerivatives: true}}, false)
	if !slices.ContainsFunc(results, func(f registry.CheckResult) bool {
		return f.Check == "account_type" && f.Status == registry.CheckFailed && f.Advice != ""
	}) {
		t.Errorf("results = %+v, want a failed account_type with advice", results)
	}
}

// TestExamineMargin checks that isolated margin of any instrument is a warning.
func TestExamineMargin(t *testing.T) {
	for _, c := range []struct {
		account venues.Account
		status  registry.CheckStatus
		text    string
	}{
		{marginAccount{facts: venues.MarginInfo{Mode: "cross"}}, registry.CheckOK, "cross"},
		{marginAccount{facts: venues.MarginInfo{Mode: "portfolio"}}, registry.CheckOK, "portfolio"},
		{marginAccount{facts: venues.MarginInfo{Mode: "isolated"}}, registry.CheckWarning, "isolated everywhere"},
		{marginAccount{facts: venues.MarginInfo{Mode: "cross", Isolated: []string{"BTCUSDT"}}}, registry.CheckWarning, "isolated for BTCUSDT:"},
		{marginAccount{facts: venues.MarginInfo{Mode: "cross", Isolated: strings.Split("A B C D E F G", " ")}}, registry.CheckWarning, "A, B, C, D, E and 2 more"},
		{marginAccount{err: errors.New("broken pipe")}, registry.CheckWarning, "did not report"},
		{struct{ venues.Account }{}, registry.CheckWarning, "does not report"},
	} {
		f := examineMargin(t.Context(), c.account)
		if f.Check != "margin_mode" || f.Status != c.status || !strings.Contains(f.Text, c.text) || (f.Advice == "") != (c.status == registry.CheckOK) {
			t.Errorf("result = %+v, want status %s with %q", f, c.status, c.text)
		}
	}
}

// marginAccount is an account that reports its margin.
type marginAccount struct {
	venues.Account
	facts venues.MarginInfo
	err   error
}

func (m marginAccount) MarginInfo(context.Context) (venues.MarginInfo, error) { return m.facts, m.err }

// modeAccount is an account that reports its mode.
type modeAccount struct {
	venues.Account
	mode venues.AccountMode
	err  error
}

func (a modeAccount) Mode(context.Context) (venues.AccountMode, error) { return a.mode, a.err }

// keyAccount is an account that reports its key.
type keyAccount struct {
	venues.Account
	facts venues.KeyInfo
	err   error
}

func (k keyAccount) KeyInfo(context.Context) (venues.KeyInfo, error) { return k.facts, k.err }
