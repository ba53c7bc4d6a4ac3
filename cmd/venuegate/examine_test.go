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

// TestExamineKey: what a key may do is judged by what the service needs, and no
// more.
func TestExamineKey(t *testing.T) {
	soon, later := time.Now().Add(24*time.Hour), time.Now().Add(365*24*time.Hour)
	for _, c := range []struct {
		name    string
		account venues.Account
		want    []registry.CheckStatus
	}{
		{"fit", keyed{facts: venues.KeyInfo{Known: true, CanTrade: true, IPBound: true, ExpiresAt: later}}, []registry.CheckStatus{registry.CheckOK}},
		{"permissions not reported", keyed{facts: venues.KeyInfo{CanTrade: true}}, []registry.CheckStatus{registry.CheckOK}},
		{"may not trade", keyed{facts: venues.KeyInfo{}}, []registry.CheckStatus{registry.CheckFailed}},
		{"may withdraw", keyed{facts: venues.KeyInfo{Known: true, CanTrade: true, CanWithdraw: true, IPBound: true}}, []registry.CheckStatus{registry.CheckFailed}},
		{"any address, expires soon", keyed{facts: venues.KeyInfo{Known: true, CanTrade: true, ExpiresAt: soon}}, []registry.CheckStatus{registry.CheckOK, registry.CheckWarning, registry.CheckWarning}},
		{"no answer", keyed{err: errors.New("broken pipe")}, []registry.CheckStatus{registry.CheckWarning}},
		{"venue without key permissions", struct{ venues.Account }{}, []registry.CheckStatus{registry.CheckWarning}},
	} {
		results := examineKey(t.Context(), c.account, false)
		got := make([]registry.CheckStatus, len(results))
		for i, f := range results {
			got[i] = f.Status
			if f.Status != registry.CheckOK && f.Advice == "" {
				t.Errorf("%s: %q has no advice", c.name, f.Text)
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
	for code, refused := range map[venues.Code]bool{
		venues.CodeExchangeUnavailable: false, venues.CodeRateLimited: false, venues.CodeMaintenance: false, venues.CodeUnauthorized: true,
	} {
		results := examineAccount(t.Context(), moded{err: venues.Errorf(code, "no")}, false)
		if len(results) != 1 || results[0].Status != registry.CheckFailed || strings.Contains(results[0].Text, "rejects the key") != refused {
			t.Errorf("%s: %+v", code, results)
		}
	}
}

// TestExamineKeyThatMayWithdraw: it is refused, unless the operator lets it pass, and
// so is one of which that is not known for now.
func TestExamineKeyThatMayWithdraw(t *testing.T) {
	account := keyed{facts: venues.KeyInfo{Known: true, CanTrade: true, CanWithdraw: true, IPBound: true}}
	for allowed, want := range map[bool]registry.CheckStatus{false: registry.CheckFailed, true: registry.CheckWarning} {
		results := examineKey(t.Context(), account, allowed)
		if len(results) != 1 || results[0].Status != want || results[0].Text != "the key may withdraw money" {
			t.Errorf("allowed %v: %+v", allowed, results)
		}
		for _, code := range []venues.Code{venues.CodeExchangeUnavailable, venues.CodeRateLimited, venues.CodeMaintenance} {
			results := examineKey(t.Context(), keyed{err: venues.Errorf(code, "no")}, allowed)
			if len(results) != 1 || results[0].Status != want || results[0].Advice == "" {
				t.Errorf("allowed %v, %s: %+v", allowed, code, results)
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
		asked   int
		took    time.Duration
		want    registry.CheckStatus
	}{
		{"for a moment", 1, 2 * time.Second, 10 * time.Second, 2, 2 * time.Second, registry.CheckOK},
		{"for two", 2, 2 * time.Second, 10 * time.Second, 3, 4 * time.Second, registry.CheckOK},
		{"again and again", 3, 2 * time.Second, 10 * time.Second, 3, 4 * time.Second, registry.CheckFailed},
		{"for long", 1, time.Minute, 10 * time.Second, 1, 0, registry.CheckFailed},
		{"beyond the time there is", 1, 4 * time.Second, 3 * time.Second, 1, 3 * time.Second, registry.CheckFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), c.within)
				defer cancel()
				account := &crowded{limited: c.limited, wait: c.wait}
				results := examineKey(ctx, account, false)
				if len(results) != 1 || results[0].Status != c.want {
					t.Errorf("%+v", results)
				}
				if took := time.Since(begun); account.queries != c.asked || took != c.took {
					t.Errorf("sent %d times in %s, want %d in %s", account.queries, took, c.asked, c.took)
				}
			})
		})
	}
}

// crowded is an account whose first queries exceed a rate limit.
type crowded struct {
	venues.Account
	limited int
	wait    time.Duration
	queries int
}

func (c *crowded) KeyInfo(context.Context) (venues.KeyInfo, error) {
	if c.queries++; c.queries > c.limited {
		return venues.KeyInfo{Known: true, CanTrade: true, IPBound: true}, nil
	}
	err := venues.Errorf(venues.CodeRateLimited, "too many requests")
	err.RetryAfter = c.wait
	return venues.KeyInfo{}, err
}

// TestExamineUnfitAccount: an account without derivatives is no use here.
func TestExamineUnfitAccount(t *testing.T) {
	results := examineAccount(t.Context(), moded{mode: venues.AccountMode{AccountType: "spot", NoDerivatives: true}}, false)
	if !slices.ContainsFunc(results, func(f registry.CheckResult) bool {
		return f.Check == "account_type" && f.Status == registry.CheckFailed && f.Advice != ""
	}) {
		t.Errorf("%+v", results)
	}
}

// TestExamineMargin: isolated margin is worth a word, wherever it holds.
func TestExamineMargin(t *testing.T) {
	for _, c := range []struct {
		account venues.Account
		status  registry.CheckStatus
		says    string
	}{
		{margined{facts: venues.MarginInfo{Mode: "cross"}}, registry.CheckOK, "cross"},
		{margined{facts: venues.MarginInfo{Mode: "portfolio"}}, registry.CheckOK, "portfolio"},
		{margined{facts: venues.MarginInfo{Mode: "isolated"}}, registry.CheckWarning, "isolated everywhere"},
		{margined{facts: venues.MarginInfo{Mode: "cross", Isolated: []string{"BTCUSDT"}}}, registry.CheckWarning, "isolated for BTCUSDT:"},
		{margined{facts: venues.MarginInfo{Mode: "cross", Isolated: strings.Split("A B C D E F G", " ")}}, registry.CheckWarning, "A, B, C, D, E and 2 more"},
		{margined{err: errors.New("broken pipe")}, registry.CheckWarning, "did not report"},
		{struct{ venues.Account }{}, registry.CheckWarning, "does not report"},
	} {
		f := examineMargin(t.Context(), c.account)
		if f.Check != "margin_mode" || f.Status != c.status || !strings.Contains(f.Text, c.says) || (f.Advice == "") != (c.status == registry.CheckOK) {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// margined is an account that reports its margin.
type margined struct {
	venues.Account
	facts venues.MarginInfo
	err   error
}

func (m margined) MarginInfo(context.Context) (venues.MarginInfo, error) { return m.facts, m.err }

// moded is an account that reports its mode.
type moded struct {
	venues.Account
	mode venues.AccountMode
	err  error
}

func (a moded) Mode(context.Context) (venues.AccountMode, error) { return a.mode, a.err }

// keyed is an account that reports its key.
type keyed struct {
	venues.Account
	facts venues.KeyInfo
	err   error
}

func (k keyed) KeyInfo(context.Context) (venues.KeyInfo, error) { return k.facts, k.err }
