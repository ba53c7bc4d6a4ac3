package restclient_test

import (
	"errors"
	"io"
	"testing"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// The first known outcome stays, and the error keeps its code and its cause.
func TestFirstOutcomeStays(t *testing.T) {
	rejected := venues.Errorf(venues.CodeInvalidRequest, "no").Because(io.EOF)
	sent := restclient.OutcomeUnknown(rejected)
	if !errors.Is(sent, venues.ErrOutcomeUnknown) || !errors.Is(sent, io.EOF) || venues.CodeOf(sent) != venues.CodeInvalidRequest {
		t.Errorf("error %v has code %s, want invalid_request with an unknown outcome", sent, venues.CodeOf(sent))
	}
	if again := restclient.NotSent(sent); errors.Is(again, venues.ErrNotSent) {
		t.Errorf("error %v is ErrNotSent, want only an unknown outcome", again)
	}
	if bare := restclient.NotSent(io.EOF); !errors.Is(bare, io.EOF) || venues.CodeOf(bare) != venues.CodeExchangeUnavailable {
		t.Errorf("error %v has code %s, want exchange_unavailable", bare, venues.CodeOf(bare))
	}
	if late := restclient.DeadlinePassed(); !errors.Is(late, venues.ErrNotSent) || !errors.Is(late, restclient.ErrDeadlinePassed) {
		t.Errorf("DeadlinePassed = %v, want ErrNotSent and ErrDeadlinePassed", late)
	}
}
