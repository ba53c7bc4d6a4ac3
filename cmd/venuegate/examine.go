package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"venuegate/transport/admin"
	"venuegate/venues"
)

// Limits of an examination.
const (
	// clockSkewMax is how far this machine's clock may be from a venue's before
	// it is worth a word. The service corrects for it; logs and other programs
	// do not.
	clockSkewMax = time.Second
	// keyExpiryNear is how long before its end a key is worth a word.
	keyExpiryNear = 14 * 24 * time.Hour
	// A venue whose limit is used up for a moment is asked again, asksMax times in
	// all: what else uses the key counts against the same limit.
	asksMax    = 3
	askWaitMax = 5 * time.Second
)

// examiner looks at venues and accounts from outside, in words for people.
type examiner struct {
	connectors map[venues.Venue]venues.Connector
	// configured says how much the operator lets pass.
	configured map[venues.Venue]VenueConfig
}

// Examine looks at the venue, then at the account. It stops where the rest
// could not be judged.
func (e examiner) Examine(ctx context.Context, exchange venues.Venue, credentials venues.Credentials) []admin.Finding {
	connector, known := e.connectors[exchange]
	if !known {
		return []admin.Finding{failed("reachable", string(exchange)+" is not configured", "add it under venues in the configuration", nil)}
	}
	findings := examineVenue(ctx, connector)
	if findings[0].Status == admin.FindingFailed {
		return findings
	}
	account, err := connector.OpenAccount(credentials)
	if err != nil {
		return append(findings, failed("key", "the credentials cannot be used", "copy key, secret and, where the venue has one, passphrase again", err))
	}
	return append(findings, examineAccount(ctx, account, e.configured[exchange].AllowWithdrawal)...)
}

// examineVenue asks for the time: the cheapest question with an answer to learn
// from.
func examineVenue(ctx context.Context, connector venues.Connector) []admin.Finding {
	offset, err := connector.SyncClock(ctx)
	if err != nil {
		return []admin.Finding{failed("reachable", fmt.Sprintf("%s does not answer", connector.Venue()),
			"check the network and the addresses in the configuration, and whether the venue serves this place", unreachable(err))}
	}
	findings := []admin.Finding{passed("reachable", fmt.Sprintf("%s answers", connector.Venue()))}
	if offset.Abs() > clockSkewMax {
		return append(findings, warning("clock", fmt.Sprintf("this machine's clock is %s off the venue's", offset.Abs().Round(time.Millisecond)),
			"let the system keep the time (an NTP client); the service corrects for it, logs do not"))
	}
	return append(findings, passed("clock", fmt.Sprintf("the clocks agree within %s", offset.Abs().Round(time.Millisecond))))
}

func examineAccount(ctx context.Context, account venues.Account, withdrawal bool) []admin.Finding {
	mode, err := answered(ctx, account.Mode)
	if err != nil {
		if isPassing(err) {
			return []admin.Finding{failed("key", "the venue did not answer about the account", "try again later", err)}
		}
		return []admin.Finding{failed("key", "the venue refuses the key",
			"check that key and secret belong together and to this environment, and that this machine's address is on the key's list", err)}
	}
	findings := []admin.Finding{passed("key", "the venue accepts the key, account type "+mode.AccountType)}
	if mode.Unfit {
		findings = append(findings, failed("account_type", "an account of type "+mode.AccountType+" trades no derivatives",
			"change the account's mode in its settings at the venue", nil))
	}
	if mode.Hedge {
		findings = append(findings, warning("position_mode", "the account is in hedge mode: a symbol may have a long and a short position",
			"switch to one-way mode at the venue unless hedging is meant"))
	} else {
		findings = append(findings, passed("position_mode", "one-way"))
	}
	findings = append(findings, examineMargin(ctx, account))
	return append(findings, examineKey(ctx, account, withdrawal)...)
}

// isPassing says whether a venue that answers so may have an answer later.
func isPassing(err error) bool {
	code := venues.CodeOf(err)
	return code == venues.CodeExchangeUnavailable || code == venues.CodeRateLimited || code == venues.CodeMaintenance
}

// answered asks, and asks again where the venue has no room for the question yet.
func answered[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	for n := 1; ; n++ {
		answer, err := ask(ctx)
		limit, told := errors.AsType[*venues.Error](err)
		if !told || limit.Code != venues.CodeRateLimited || limit.RetryAfter > askWaitMax || n == asksMax {
			return answer, err
		}
		select {
		case <-time.After(limit.RetryAfter):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// isolatedTold is how many isolated instruments are named.
const isolatedTold = 5

// examineMargin: isolated margin is honoured. It is worth a word, for a position may
// be liquidated while the account has money.
func examineMargin(ctx context.Context, account venues.Account) admin.Finding {
	const check = "margin_mode"
	inspector, able := account.(venues.MarginInspector)
	if !able {
		return warning(check, "the venue does not tell how margin is reckoned", "look it up at the venue")
	}
	facts, err := answered(ctx, inspector.MarginFacts)
	if err != nil {
		return warning(check, "the venue did not tell how margin is reckoned: "+redact(err.Error()), "look it up at the venue")
	}
	where := "everywhere"
	switch isolated := facts.Isolated; {
	case facts.Mode == string(venues.MarginIsolated):
	case len(isolated) == 0:
		return passed(check, facts.Mode)
	default:
		where = "for " + strings.Join(isolated[:min(len(isolated), isolatedTold)], ", ")
		if more := len(isolated) - isolatedTold; more > 0 {
			where += fmt.Sprintf(" and %d more", more)
		}
	}
	return warning(check, "margin is isolated "+where+": a position is liquidated when its own is used up",
		"switch to cross margin at the venue unless that is meant")
}

func examineKey(ctx context.Context, account venues.Account, withdrawal bool) []admin.Finding {
	inspector, able := account.(venues.KeyInspector)
	if !able {
		return []admin.Finding{warning("permissions", "the venue does not tell what the key may do", "make sure that it may trade and may not withdraw")}
	}
	facts, err := answered(ctx, inspector.KeyFacts)
	if err != nil {
		const text = "the venue did not tell what the key may do"
		if isPassing(err) && !withdrawal { // it may be one that is refused
			return []admin.Finding{failed("permissions", text, "try again later", err)}
		}
		return []admin.Finding{warning("permissions", text+": "+redact(err.Error()), "make sure that it may trade and may not withdraw")}
	}
	findings := []admin.Finding{}
	if !facts.CanTrade {
		findings = append(findings, failed("permissions", "the key may not trade", "allow futures trading for it at the venue", nil))
	}
	if facts.CanWithdraw {
		const text, advice = "the key may withdraw money", "take that permission away: this service never needs it"
		finding := failed("permissions", text, advice+" (allowWithdrawal of the venue's configuration lets it pass)", nil)
		if withdrawal {
			finding = warning("permissions", text, advice)
		}
		findings = append(findings, finding)
	}
	if len(findings) == 0 {
		findings = append(findings, passed("permissions", "the key may trade"))
	}
	if !facts.Known {
		return findings
	}
	if !facts.IPBound {
		findings = append(findings, warning("permissions", "the key may be used from every address", "bind it to this machine's address at the venue"))
	}
	if !facts.ExpiresAt.IsZero() && time.Until(facts.ExpiresAt) < keyExpiryNear {
		findings = append(findings, warning("key", "the key ends on "+facts.ExpiresAt.UTC().Format(time.DateOnly), "renew it at the venue and change the credentials here"))
	}
	return findings
}

// unreachable marks what kept a venue from answering as the venue's fault,
// unless it is known better.
func unreachable(err error) error {
	if _, told := errors.AsType[*venues.Error](err); told {
		return err
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "no answer").Because(err)
}

func passed(check, text string) admin.Finding {
	return admin.Finding{Check: check, Status: admin.FindingOK, Text: text}
}

func warning(check, text, advice string) admin.Finding {
	return admin.Finding{Check: check, Status: admin.FindingWarning, Text: text, Advice: advice}
}

func failed(check, text, advice string, err error) admin.Finding {
	return admin.Finding{Check: check, Status: admin.FindingFailed, Text: text, Advice: advice, Err: err}
}
