package restclient_test

import (
	"errors"
	"io"
	"testing"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// TestOutcomesAreToldOnce: what is known of a request first stands, and the error
// keeps its code and its cause.
func TestOutcomesAreToldOnce(t *testing.T) {
	refused := venues.Errorf(venues.CodeInvalidRequest, "no").Because(io.EOF)
	sent := restclient.OutcomeUnknown(refused)
	if !errors.Is(sent, venues.ErrOutcomeUnknown) || !errors.Is(sent, io.EOF) || venues.CodeOf(sent) != venues.CodeInvalidRequest {
		t.Errorf("%v: %s", sent, venues.CodeOf(sent))
	}
	if again := restclient.NotSent(sent); errors.Is(again, venues.ErrNotSent) {
		t.Errorf("%v says that nothing was sent", again)
	}
	if bare := restclient.NotSent(io.EOF); !errors.Is(bare, io.EOF) || venues.CodeOf(bare) != venues.CodeExchangeUnavailable {
		t.Errorf("%v: %s", bare, venues.CodeOf(bare))
	}
	if late := restclient.DeadlinePassed(); !errors.Is(late, venues.ErrNotSent) || !errors.Is(late, restclient.ErrDeadlinePassed) {
		t.Error(late)
	}
}
