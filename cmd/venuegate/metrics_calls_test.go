package main

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/venues"
)

// answeringAccount answers every order with the next of its errors.
type answeringAccount struct {
	venues.Account
	errs []error
}

func (a *answeringAccount) Place(context.Context, venues.OrderRequest) (venues.ExecutionReport, error) {
	err := a.errs[0]
	a.errs = a.errs[1:]
	return venues.ExecutionReport{}, err
}

func (a *answeringAccount) Order(context.Context, venues.OrderRef) (venues.ExecutionReport, error) {
	return a.Place(context.Background(), venues.OrderRequest{})
}

// protectingAccount implements venues.Protector.
type protectingAccount struct{ venues.Account }

func (protectingAccount) Protect(context.Context, venues.ProtectRequest) error { return nil }

type accountOpener struct {
	venues.Connector
	account venues.Account
}

func (o accountOpener) OpenAccount(venues.Credentials) (venues.Account, error) { return o.account, nil }

func TestCallsAreObservedWithTheirOutcome(t *testing.T) {
	metrics := prometheus.NewPedanticRegistry()
	all := newCalls(metrics)
	rejected := venues.Errorf(venues.CodeInsufficientBalance, "no margin")
	rejected.VenueCode = "-2019"
	down := venues.Errorf(venues.CodeExchangeUnavailable, "no answer")
	account := &answeringAccount{errs: []error{
		nil, rejected, errors.Join(venues.ErrOutcomeUnknown, down), errors.Join(venues.ErrNotSent, down), errors.Join(venues.ErrNotSent, down),
		nil, down, rejected, context.DeadlineExceeded,
	}}
	connectors := observeConnectors(map[venues.Venue]venues.Connector{venues.OKX: accountOpener{account: account}}, all)
	observed, err := connectors[venues.OKX].OpenAccount(venues.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_, _ = observed.Place(t.Context(), venues.OrderRequest{}) // the errors are the test's own
	}
	for range 4 {
		_, _ = observed.Order(t.Context(), venues.OrderRef{})
	}
	for o, want := range map[operation]map[callOutcome]uint64{
		opPlace: {callOK: 1, callRejected: 1, callUnknown: 1, callNotSent: 2},
		opQuery: {callOK: 1, callRejected: 1, callFailed: 2},
		opRead:  {callOK: 0, callRejected: 0, callFailed: 0},
	} {
		for outcome, n := range want {
			if got := countOf(t, metrics, "okx", o.String(), outcome.String()); got != n {
				t.Errorf("%s %s = %d calls, want %d", o, outcome, got, n)
			}
		}
	}
	if families, err := metrics.Gather(); err != nil || len(families[0].GetMetric()) != len(venues.All())*(5*4+4*3) {
		t.Errorf("series = %d, error %v, want those of all venues", len(families[0].GetMetric()), err)
	}
}

// countOf returns the number of observations of a series, by the values of its labels.
func countOf(t *testing.T, metrics prometheus.Gatherer, labels ...string) uint64 {
	t.Helper()
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range families[0].GetMetric() {
		var values []string
		for _, l := range m.GetLabel() {
			values = append(values, l.GetValue())
		}
		if slices.Equal(values, labels) {
			return m.GetHistogram().GetSampleCount()
		}
	}
	t.Fatalf("no series with the labels %v, want one", labels)
	return 0
}

func TestObservedAccountProtectsIfTheVenueDoes(t *testing.T) {
	all := newCalls(prometheus.NewRegistry())
	for want, account := range map[bool]venues.Account{false: &answeringAccount{}, true: protectingAccount{}} {
		observed, err := observedConnector{accountOpener{account: account}, all[venues.Bybit]}.OpenAccount(venues.Credentials{})
		if _, can := observed.(venues.Protector); err != nil || can != want {
			t.Errorf("observed %T is a Protector: %t, error %v, want %t", account, can, err, want)
		}
	}
}
