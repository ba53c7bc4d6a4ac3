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

// Check says what is missing for rows to reach the endpoint's spreadsheet:
// invalid_request with the member to put right, ErrUnreachable if Google does not
// say. To see whether it may write, it writes the headings into an empty sheet,
// and the last heading anew into one that has it.
func (s *Sheet) Check(ctx context.Context, to persistence.Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	v, err := s.visit(ctx, to, time.Now())
	switch {
	case errors.Is(err, errNoKey):
		return fault(fieldSecret, api.RuleMalformed, err.Error())
	case errors.Is(err, errKeyRefused):
		return unusable(fieldSecret, err.Error())
	case err != nil:
		return err
	}
	ctx, seen := withExchange(ctx)
	err = v.check(ctx)
	refused, told := errors.AsType[*googleapi.Error](err)
	switch {
	case err == nil, errors.Is(err, errOtherContent):
		return err
	case !told || refused.Message == "":
		return seen.failure(ctx, err)
	case refused.Code == http.StatusForbidden, refused.Code == http.StatusNotFound, refused.Code == http.StatusBadRequest:
		return unusable(fieldTarget, v.refusal(refused).Error())
	default:
		return errors.Join(ErrUnreachable, v.refusal(refused))
	}
}

var errOtherContent = unusable(fieldTarget, "the first sheet must be empty, or have the heading "+lastHeading+" in "+rangeLastHead)

func (v visit) check(ctx context.Context) error {
	heads, ids, err := v.read(ctx)
	if err != nil {
		return err
	}
	into, what := rangeHeading, headingValues()
	if len(heads) > 0 || len(ids) > 0 {
		if len(heads) != len(headings) || heads[len(heads)-1] != lastHeading {
			return errOtherContent
		}
		into, what = rangeLastHead, []any{lastHeading}
	}
	call := v.api.Update(v.spreadsheet, into, &sheets.ValueRange{Values: [][]any{what}}).ValueInputOption("RAW").Context(ctx)
	call.Header().Set("Authorization", v.authorization())
	_, err = call.Do()
	return err
}
