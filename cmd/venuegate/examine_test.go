package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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
		findings := examineKey(t.Context(), c.account, false)
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
		findings := examineAccount(t.Context(), moded{err: venues.Errorf(code, "no")}, false)
		if len(findings) != 1 || findings[0].Status != admin.FindingFailed || strings.Contains(findings[0].Text, "refuses the key") != refused {
			t.Errorf("%s: %+v", code, findings)
		}
	}
}

// TestExamineKeyThatMayWithdraw: it is refused, unless the operator lets it pass, and
// so is one of which that is not known for now.
func TestExamineKeyThatMayWithdraw(t *testing.T) {
	account := keyed{facts: venues.KeyFacts{Known: true, CanTrade: true, CanWithdraw: true, IPBound: true}}
	for allowed, want := range map[bool]admin.FindingStatus{false: admin.FindingFailed, true: admin.FindingWarning} {
		findings := examineKey(t.Context(), account, allowed)
		if len(findings) != 1 || findings[0].Status != want || findings[0].Text != "the key may withdraw money" {
			t.Errorf("allowed %v: %+v", allowed, findings)
		}
		for _, code := range []venues.Code{venues.CodeExchangeUnavailable, venues.CodeRateLimited, venues.CodeMaintenance} {
			findings := examineKey(t.Context(), keyed{err: venues.Errorf(code, "no")}, allowed)
			if len(findings) != 1 || findings[0].Status != want || findings[0].Advice == "" {
				t.Errorf("allowed %v, %s: %+v", allowed, code, findings)
			}
		}
	}
}

// TestExamineWaitsForRoom: a limit that is used up for a moment, by the service beside
// the doctor, is no reason to fail; a long one is.
func TestExamineWaitsForRoom(t *testing.T) {
	for _, c := range []struct {
		name    string
		limited int
		wait    time.Duration
		within  time.Duration
		asked   int
		took    time.Duration
		want    admin.FindingStatus
	}{
		{"for a moment", 1, 2 * time.Second, 10 * time.Second, 2, 2 * time.Second, admin.FindingOK},
		{"for two", 2, 2 * time.Second, 10 * time.Second, 3, 4 * time.Second, admin.FindingOK},
		{"again and again", 3, 2 * time.Second, 10 * time.Second, 3, 4 * time.Second, admin.FindingFailed},
		{"for long", 1, time.Minute, 10 * time.Second, 1, 0, admin.FindingFailed},
		{"beyond the time there is", 1, 4 * time.Second, 3 * time.Second, 1, 3 * time.Second, admin.FindingFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), c.within)
				defer cancel()
				account := &crowded{limited: c.limited, wait: c.wait}
				findings := examineKey(ctx, account, false)
				if len(findings) != 1 || findings[0].Status != c.want {
					t.Errorf("%+v", findings)
				}
				if took := time.Since(begun); account.asked != c.asked || took != c.took {
					t.Errorf("asked %d times in %s, want %d in %s", account.asked, took, c.asked, c.took)
				}
			})
		})
	}
}

// crowded is an account of which the venue tells only after a while.
type crowded struct {
	venues.Account
	limited int
	wait    time.Duration
	asked   int
}

func (c *crowded) KeyFacts(context.Context) (venues.KeyFacts, error) {
	if c.asked++; c.asked > c.limited {
		return venues.KeyFacts{Known: true, CanTrade: true, IPBound: true}, nil
	}
	err := venues.Errorf(venues.CodeRateLimited, "too many requests")
	err.RetryAfter = c.wait
	return venues.KeyFacts{}, err
}

// TestExamineUnfitAccount: an account without derivatives is no use here.
func TestExamineUnfitAccount(t *testing.T) {
	findings := examineAccount(t.Context(), moded{mode: venues.AccountMode{AccountType: "spot", Unfit: true}}, false)
	if !slices.ContainsFunc(findings, func(f admin.Finding) bool {
		return f.Check == "account_type" && f.Status == admin.FindingFailed && f.Advice != ""
	}) {
		t.Errorf("%+v", findings)
	}
}

// TestExamineMargin: isolated margin is worth a word, wherever it holds.
func TestExamineMargin(t *testing.T) {
	for _, c := range []struct {
		account venues.Account
		status  admin.FindingStatus
		says    string
	}{
		{margined{facts: venues.MarginFacts{Mode: "cross"}}, admin.FindingOK, "cross"},
		{margined{facts: venues.MarginFacts{Mode: "portfolio"}}, admin.FindingOK, "portfolio"},
		{margined{facts: venues.MarginFacts{Mode: "isolated"}}, admin.FindingWarning, "isolated everywhere"},
		{margined{facts: venues.MarginFacts{Mode: "cross", Isolated: []string{"BTCUSDT"}}}, admin.FindingWarning, "isolated for BTCUSDT:"},
		{margined{facts: venues.MarginFacts{Mode: "cross", Isolated: strings.Split("A B C D E F G", " ")}}, admin.FindingWarning, "A, B, C, D, E and 2 more"},
		{margined{err: errors.New("broken pipe")}, admin.FindingWarning, "did not tell"},
		{struct{ venues.Account }{}, admin.FindingWarning, "does not tell"},
	} {
		f := examineMargin(t.Context(), c.account)
		if f.Check != "margin_mode" || f.Status != c.status || !strings.Contains(f.Text, c.says) || (f.Advice == "") != (c.status == admin.FindingOK) {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// margined is an account that tells of its margin.
type margined struct {
	venues.Account
	facts venues.MarginFacts
	err   error
}

func (m margined) MarginFacts(context.Context) (venues.MarginFacts, error) { return m.facts, m.err }

// moded is an account that is asked for its mode.
type moded struct {
	venues.Account
	mode venues.AccountMode
	err  error
}

func (a moded) Mode(context.Context) (venues.AccountMode, error) { return a.mode, a.err }

// keyed is an account that tells of its key.
type keyed struct {
	venues.Account
	facts venues.KeyFacts
	err   error
}

func (k keyed) KeyFacts(context.Context) (venues.KeyFacts, error) { return k.facts, k.err }
