package notify

import (
	"context"
	"errors"
	"net/http"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/sheets/v4"

	"venuegate/persistence"
	"venuegate/transport/api"
)

// Check returns nil if rows can be added to the endpoint's spreadsheet, invalid_request
// for the member at fault, or ErrUnreachable if the result is not known. To test the
// write permission it writes the headings into an empty sheet, and the last heading
// again into one that has it.
func (s *Sheet) Check(ctx context.Context, to persistence.Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	c, err := s.open(ctx, to, time.Now())
	switch {
	case errors.Is(err, errNoKey):
		return fieldError(fieldSecret, api.RuleMalformed, err.Error())
	case errors.Is(err, errKeyRejected):
		return unusable(fieldSecret, err.Error())
	case err != nil:
		return err
	}
	ctx, recorded := withRecorder(ctx)
	err = c.check(ctx)
	rejected, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case err == nil, errors.Is(err, errOtherContent):
		return err
	case !ok || rejected.Message == "":
		return recorded.failure(ctx, err)
	case rejected.Code == http.StatusForbidden, rejected.Code == http.StatusNotFound, rejected.Code == http.StatusBadRequest:
		return unusable(fieldTarget, c.rejection(rejected).Error())
	default:
		return errors.Join(ErrUnreachable, c.rejection(rejected))
	}
}

var errOtherContent = unusable(fieldTarget, "the first sheet must be empty, or have the heading "+lastHeading+" in "+rangeLastHead)

func (c sheetCall) check(ctx context.Context) error {
	heads, ids, err := c.read(ctx)
	if err != nil {
		return err
	}
	cells, values := rangeHeading, headingValues()
	if len(heads) > 0 || len(ids) > 0 {
		if len(heads) != len(headings) || heads[len(heads)-1] != lastHeading {
			return errOtherContent
		}
		cells, values = rangeLastHead, []any{lastHeading}
	}
	call := c.api.Update(c.spreadsheet, cells, &sheets.ValueRange{Values: [][]any{values}}).ValueInputOption("RAW").Context(ctx)
	call.Header().Set("Authorization", c.authorization())
	_, err = call.Do()
	return err
}
