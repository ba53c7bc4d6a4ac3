package root

import (
	"context"
	"errors"
	"slices"
	"sync"

	"venuegate/actors/account"
	"venuegate/venues"
)

// Requests that concern several accounts of a customer are sent to all of them at the same
// time. An account that does not answer is named in the result; the others are not affected.

// CancelAll cancels the orders of every matching account. The orders of an account that
// does not answer are reported as failed; an error is returned only if none answers.
func (d *Directory) CancelAll(ctx context.Context, cmd venues.CancelOrders) ([]venues.CancelResult, error) {
	clients, exchanges, err := d.connected(cmd.Customer, cmd.Exchange)
	if err != nil {
		return nil, err
	}
	lists := make([][]venues.CancelResult, len(clients))
	failures := each(clients, func(i int, c account.Client) error {
		var err error
		lists[i], err = c.CancelAll(ctx, cmd)
		return err
	})
	if !slices.Contains(failures, nil) {
		return []venues.CancelResult{}, errors.Join(failures...)
	}
	for i, cause := range failures {
		if cause == nil {
			continue
		}
		if lists[i], err = d.notCancelled(ctx, cmd, exchanges[i], cause); err != nil {
			return nil, err
		}
	}
	return slices.Concat([]venues.CancelResult{}, slices.Concat(lists...)), nil
}

// notCancelled reports the open orders of an account that did not answer as failed.
func (d *Directory) notCancelled(ctx context.Context, cmd venues.CancelOrders, exchange venues.Venue, cause error) ([]venues.CancelResult, error) {
	records, err := d.store.UnfinishedOrders(ctx, cmd.Customer, exchange)
	if err != nil {
		return nil, err
	}
	symbol := cmd.Symbol
	if set, _ := d.Instruments(exchange); symbol != "" {
		if i, known := set.Find(symbol); known {
			symbol = i.Symbol
		}
	}
	var list []venues.CancelResult
	for _, r := range records {
		if !r.Status.IsClosed() && (symbol == "" || r.Symbol == symbol) {
			list = append(list, venues.CancelResult{
				OrderID: r.OrderID, Exchange: exchange, Symbol: r.Symbol, Result: venues.CancelFailed, Error: clientError(cause),
			})
		}
	}
	return list, nil
}

// each calls a function for every account at the same time and returns the errors.
func each(clients []account.Client, call func(i int, c account.Client) error) []error {
	failures := make([]error, len(clients))
	var wait sync.WaitGroup
	for i, c := range clients {
		wait.Go(func() { failures[i] = call(i, c) })
	}
	wait.Wait()
	return failures
}

// Balances reads the matching accounts and names those that did not answer.
func (d *Directory) Balances(ctx context.Context, cmd venues.ReadAccount) ([]venues.Balance, []venues.VenueFailure, error) {
	lists, failures, err := readEach(d, cmd, func(c account.Client) ([]venues.Balance, error) { return c.Balances(ctx) })
	balances := []venues.Balance{}
	for _, b := range slices.Concat(lists...) {
		if cmd.Currency == "" || b.Currency == cmd.Currency {
			balances = append(balances, b)
		}
	}
	return balances, failures, err
}

// Positions reads the open positions of the matching accounts.
func (d *Directory) Positions(ctx context.Context, cmd venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	lists, failures, err := readEach(d, cmd, func(c account.Client) ([]venues.Position, error) { return c.Positions(ctx) })
	positions := []venues.Position{}
	for _, p := range slices.Concat(lists...) {
		if cmd.Symbol == "" || p.Symbol == cmd.Symbol {
			positions = append(positions, p)
		}
	}
	return positions, failures, err
}

// readEach reads every matching account. It returns an error only if none answers.
func readEach[T any](d *Directory, cmd venues.ReadAccount, read func(account.Client) (T, error)) ([]T, []venues.VenueFailure, error) {
	clients, exchanges, err := d.connected(cmd.Customer, cmd.Exchange)
	if err != nil {
		return nil, nil, err
	}
	values := make([]T, len(clients))
	causes := each(clients, func(i int, c account.Client) error {
		var err error
		values[i], err = read(c)
		return err
	})
	var failures []venues.VenueFailure
	for i, cause := range causes {
		if cause != nil {
			failures = append(failures, venues.VenueFailure{Exchange: exchanges[i], Error: clientError(cause)})
		}
	}
	if len(clients) > 0 && len(failures) == len(clients) {
		return nil, nil, failures[0].Error
	}
	return values, failures, nil
}

func clientError(err error) *venues.Error {
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "the venue did not respond").Because(err)
}
