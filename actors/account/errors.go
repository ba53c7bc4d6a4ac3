package account

import (
	"errors"
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// clientError converts errors of package actors to errors of the public interface. After a
// timeout, and if the account has ended meanwhile, the outcome is unknown.
func clientError(err error) error {
	if _, ours := errors.AsType[*venues.Error](err); err == nil || ours {
		return err
	}
	switch {
	case errors.Is(err, actors.ErrBusy):
		e := venues.Errorf(venues.CodeRateLimited, "too many requests are pending for the account").Because(err)
		e.RetryAfter = time.Second
		return e
	case errors.Is(err, actors.ErrStopped):
		return startingError(err)
	default:
		// Not exchange_unavailable, which means that nothing was placed.
		return venues.Errorf(venues.CodeInternal, "no reply in time; the outcome is not known").
			With("orderState", "unknown").Because(err)
	}
}

// repeatableError is clientError for idempotent requests: if the account has failed
// meanwhile, the client may repeat them.
func repeatableError(err error) error {
	if errors.Is(err, actors.ErrFailed) {
		return startingError(err)
	}
	return clientError(err)
}

// startingError returns the error of a request that the account has not handled, or that is
// idempotent, while the account starts.
func startingError(cause error) *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the account is starting").Because(cause)
	e.RetryAfter = maintenanceRetry
	return e
}

// maintenance returns the error of a request that is rejected until the account's first
// reading of its venue.
func maintenance(exchange venues.Venue) *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the %s account is being reconciled", exchange)
	e.RetryAfter = maintenanceRetry
	return e
}

// notListed returns the error of a request for a symbol that the venue does not list.
func notListed(symbol string, exchange venues.Venue) *venues.Error {
	return venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of %s", symbol, exchange).With("symbol", symbol)
}

// notActive returns the error of a change of a closed order.
func notActive(o *venues.Order) *venues.Error {
	return venues.Errorf(venues.CodeNotFound, "the order is %s", o.Status).
		With("status", string(o.Status)).With("orderId", o.OrderID)
}

// changePending returns the error of a change while another one is pending.
func changePending() *venues.Error {
	return venues.Errorf(venues.CodeOrderRejected, "another change of the order is pending").With("reason", "change_pending")
}

// commitError returns the error of a command that was not carried out because its commit
// failed.
func commitError(cause error) *venues.Error {
	if errors.Is(cause, persistence.ErrDiskFull) {
		return venues.DiskFull(cause)
	}
	e := venues.Errorf(venues.CodeMaintenance, "the store cannot take orders now").Because(cause)
	e.RetryAfter = maintenanceRetry
	return e
}

// transientCodes are the codes of errors with which a repeated order need not fail.
var transientCodes = []venues.Code{venues.CodeRateLimited, venues.CodeMaintenance, venues.CodeExchangeUnavailable, venues.CodeInternal}

// notSent returns the error of an order that was never sent: the connector's own
// rejection if it would be repeated, rate_limited if the order was held back for the
// venue's rate limits, else exchange_unavailable.
func notSent(exchange venues.Venue, cause error) *venues.Error {
	if rejection, ok := errors.AsType[*venues.Error](cause); ok && !slices.Contains(transientCodes, rejection.Code) {
		return rejection
	}
	e := venues.Errorf(venues.CodeExchangeUnavailable, "the order was not sent to %s", exchange)
	if rejection, ok := errors.AsType[*venues.Error](cause); ok && rejection.Code == venues.CodeRateLimited {
		e = venues.Errorf(venues.CodeRateLimited, "the limits of %s are used up; the order was not sent", exchange).With("scope", venues.LimitOfVenue)
		if limit, named := rejection.Details["limit"]; named {
			e = e.With("limit", limit)
		}
		e.RetryAfter = rejection.RetryAfter
	}
	return e.With("reason", venues.ReasonNotSent).Because(cause)
}

// orderCodes are the codes that an order or its change may be rejected with by the venue, or
// by the account at the time of sending.
var orderCodes = append(slices.Clone(transientCodes), venues.CodeInsufficientBalance, venues.CodeSymbolNotTradable, venues.CodeOrderRejected, venues.CodeTradingLocked)

// venueRejection returns the error of a request that the venue has explicitly rejected. Any
// code that is not one of orderCodes becomes order_rejected: invalid_request, for one, is a
// request that this service itself has rejected. Other errors are returned as they are.
func venueRejection(err error) error {
	rejection, ok := errors.AsType[*venues.Error](err)
	if !ok || errors.Is(err, venues.ErrNotSent) || slices.Contains(orderCodes, rejection.Code) {
		return err
	}
	e := *rejection
	e.Code = venues.CodeOrderRejected
	return &e
}

// rejectionOf returns the error of a rejection that the venue has reported; reason may be
// nil.
func rejectionOf(reason *venues.RejectReason) *venues.Error {
	if reason == nil {
		return venues.Errorf(venues.CodeOrderRejected, "the venue rejected the order")
	}
	e := &venues.Error{Code: reason.Code, Message: reason.Message, VenueCode: reason.VenueCode, VenueMessage: reason.VenueMessage}
	if reason.Reason != "" {
		e = e.With("reason", reason.Reason)
	}
	return e
}
