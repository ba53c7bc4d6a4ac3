package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// Limits of the checks.
const (
	// clockSkewMax is the difference between this machine's clock and a venue's
	// above which a warning is reported. The service corrects for it; logs and
	// other programs do not.
	clockSkewMax = time.Second
	// keyExpiryNear is the remaining time of a key below which a warning is
	// reported.
	keyExpiryNear = 14 * 24 * time.Hour
	// A request that exceeds the venue's rate limit is sent attemptsMax times in
	// all, because other users of the key count against the same limit.
	attemptsMax    = 3
	attemptWaitMax = 5 * time.Second
)

// examiner checks venues and accounts from outside. Its results are texts for
// people.
type examiner struct {
	connectors map[venues.Venue]venues.Connector
	// configured has the operator's exceptions, such as AllowWithdrawal.
	configured map[venues.Venue]VenueConfig
}

// Examine checks the venue, then the account. It returns the results up to the
// first failure that makes further checks meaningless.
func (e examiner) Examine(ctx context.Context, exchange venues.Venue, credentials venues.Credentials) []registry.CheckResult {
	connector, known := e.connectors[exchange]
	if !known {
		return []registry.CheckResult{failed("reachable", string(exchange)+" is not configured", "add it under venues in the configuration", nil)}
	}
	results := examineVenue(ctx, connector)
	if results[0].Status == registry.CheckFailed {
		return results
	}
	account, err := connector.OpenAccount(credentials)
	if err != nil {
		return append(results, failed("key", "the credentials cannot be used", "copy key, secret and, where the venue has one, passphrase again", err))
	}
	return append(results, examineAccount(ctx, account, e.configured[exchange].AllowWithdrawal)...)
}

// examineVenue reads the venue's time, the cheapest request that shows whether it
// is reachable.
func examineVenue(ctx context.Context, connector venues.Connector) []registry.CheckResult {
	offset, err := connector.SyncClock(ctx)
	if err != nil {
		return []registry.CheckResult{failed("reachable", fmt.Sprintf("no response from %s", connector.Venue()),
			"check the network, the addresses in the configuration, and whether the venue serves this country", unreachable(err))}
	}
	results := []registry.CheckResult{passed("reachable", fmt.Sprintf("%s responds", connector.Venue()))}
	if offset.Abs() > clockSkewMax {
		return append(results, warning("clock", fmt.Sprintf("this machine's clock is %s off the venue's", offset.Abs().Round(time.Millisecond)),
			"run an NTP client; the service corrects for the difference, logs do not"))
	}
	return append(results, passed("clock", fmt.Sprintf("the clocks agree within %s", offset.Abs().Round(time.Millisecond))))
}

func examineAccount(ctx context.Context, account venues.Account, withdrawal bool) []registry.CheckResult {
	mode, err := queryWithRetry(ctx, account.Mode)
	if err != nil {
		if isTemporary(err) {
			return []registry.CheckResult{failed("key", "the venue did not respond to the account query", "try again later", err)}
		}
		return []registry.CheckResult{failed("key", "the venue rejects the key",
			"check that key and secret belong together and to this environment, and that this machine's address is on the key's list", err)}
	}
	results := []registry.CheckResult{passed("key", "the venue accepts the key, account type "+mode.AccountType)}
	if mode.NoDerivatives {
		results = append(results, failed("account_type", "an account of type "+mode.AccountType+" cannot trade derivatives",
			"change the account's mode in its settings at the venue", nil))
	}
	if mode.Hedge {
		results = append(results, warning("position_mode", "the account is in hedge mode: a symbol may have a long and a short position",
			"switch to one-way mode at the venue unless hedging is intended"))
	} else {
		results = append(results, passed("position_mode", "one-way"))
	}
	results = append(results, examineMargin(ctx, account))
	return append(results, examineKey(ctx, account, withdrawal)...)
}

// isTemporary reports whether a request that failed with err may succeed later.
func isTemporary(err error) bool {
	code := venues.CodeOf(err)
	return code == venues.CodeExchangeUnavailable || code == venues.CodeRateLimited || code == venues.CodeMaintenance
}

// queryWithRetry sends a query. If it exceeds the rate limit of the venue, it is
// repeated after the wait that the venue requires.
func queryWithRetry[T any](ctx context.Context, query func(context.Context) (T, error)) (T, error) {
	for n := 1; ; n++ {
		answer, err := query(ctx)
		limit, ok := errors.AsType[*venues.Error](err)
		if !ok || limit.Code != venues.CodeRateLimited || limit.RetryAfter > attemptWaitMax || n == attemptsMax {
			return answer, err
		}
		select {
		case <-time.After(limit.RetryAfter):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// isolatedListedMax bounds how many isolated instruments a result lists.
const isolatedListedMax = 5

// examineMargin warns about isolated margin: the service supports it, but a
// position may be liquidated while the account has funds.
func examineMargin(ctx context.Context, account venues.Account) registry.CheckResult {
	const check = "margin_mode"
	inspector, able := account.(venues.MarginInspector)
	if !able {
		return warning(check, "the venue does not report the margin mode", "look it up at the venue")
	}
	facts, err := queryWithRetry(ctx, inspector.MarginInfo)
	if err != nil {
		return warning(check, "the venue did not report the margin mode: "+redact(err.Error()), "look it up at the venue")
	}
	where := "everywhere"
	switch isolated := facts.Isolated; {
	case facts.Mode == string(venues.MarginIsolated):
	case len(isolated) == 0:
		return passed(check, facts.Mode)
	default:
		where = "for " + strings.Join(isolated[:min(len(isolated), isolatedListedMax)], ", ")
		if more := len(isolated) - isolatedListedMax; more > 0 {
			where += fmt.Sprintf(" and %d more", more)
		}
	}
	return warning(check, "margin is isolated "+where+": a position is liquidated when its own margin is used up",
		"switch to cross margin at the venue unless isolated margin is intended")
}

func examineKey(ctx context.Context, account venues.Account, withdrawal bool) []registry.CheckResult {
	inspector, able := account.(venues.KeyInspector)
	if !able {
		return []registry.CheckResult{warning("permissions", "the venue does not report the permissions of the key", "make sure that it may trade and may not withdraw")}
	}
	facts, err := queryWithRetry(ctx, inspector.KeyInfo)
	if err != nil {
		const text = "the venue did not report the permissions of the key"
		if isTemporary(err) && !withdrawal { // the key may be one that must be rejected
			return []registry.CheckResult{failed("permissions", text, "try again later", err)}
		}
		return []registry.CheckResult{warning("permissions", text+": "+redact(err.Error()), "make sure that it may trade and may not withdraw")}
	}
	results := []registry.CheckResult{}
	if !facts.CanTrade {
		results = append(results, failed("permissions", "the key may not trade", "allow futures trading for it at the venue", nil))
	}
	if facts.CanWithdraw {
		const text, advice = "the key may withdraw money", "remove that permission: this service never needs it"
		result := failed("permissions", text, advice+" (or set allowWithdrawal in the venue's configuration)", nil)
		if withdrawal {
			result = warning("permissions", text, advice)
		}
		results = append(results, result)
	}
	if len(results) == 0 {
		results = append(results, passed("permissions", "the key may trade"))
	}
	if !facts.Known {
		return results
	}
	if !facts.IPBound {
		results = append(results, warning("permissions", "the key may be used from any address", "restrict it to this machine's address at the venue"))
	}
	if !facts.ExpiresAt.IsZero() && time.Until(facts.ExpiresAt) < keyExpiryNear {
		results = append(results, warning("key", "the key expires on "+facts.ExpiresAt.UTC().Format(time.DateOnly), "renew it at the venue and change the credentials here"))
	}
	return results
}

// unreachable returns err with the code exchange_unavailable, unless it has a code
// already.
func unreachable(err error) error {
	if _, ok := errors.AsType[*venues.Error](err); ok {
		return err
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "no response").Because(err)
}

func passed(check, text string) registry.CheckResult {
	return registry.CheckResult{Check: check, Status: registry.CheckOK, Text: text}
}

func warning(check, text, advice string) registry.CheckResult {
	return registry.CheckResult{Check: check, Status: registry.CheckWarning, Text: text, Advice: advice}
}

func failed(check, text, advice string, err error) registry.CheckResult {
	return registry.CheckResult{Check: check, Status: registry.CheckFailed, Text: text, Advice: advice, Err: err}
}
