package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// resendEventsMax bounds ResendOrder.EventIDs.
const resendEventsMax = 100

// ResendOrder is the request to deliver events again: one, some, all undelivered ones, or
// those that were queued at UndeliveredSince or later.
type ResendOrder struct {
	EventID          string      `json:"eventId"`
	EventIDs         []string    `json:"eventIds"`
	All              bool        `json:"all"`
	UndeliveredSince venues.Time `json:"undeliveredSince"`
}

// Resent is the number of deliveries that were started again.
type Resent struct {
	Resent int `json:"resent"`
}

// Resend starts deliveries of an endpoint again. The event ids stay the same. If one of the
// named events has no delivery, none is started.
func (d *Deliveries) Resend(ctx context.Context, endpoint string, order ResendOrder) (Resent, error) {
	events, what, err := order.events()
	if err != nil {
		return Resent{}, err
	}
	record, err := d.endpoints.read(ctx, endpoint)
	if err != nil {
		return Resent{}, err
	}
	n, err := d.restart(ctx, &record, order, events)
	if err != nil && n == 0 {
		return Resent{}, fmt.Errorf("resend to %s: %w", endpoint, err)
	}
	audit := d.endpoints.audit
	audit.Lock()
	defer audit.Unlock()
	return Resent{n}, errors.Join(err, audit.commit(ctx, kindEndpoint, endpoint, []persistence.JournalField{
		field("action", "resend"), field("eventId", what), field("resent", strconv.Itoa(n)),
	}))
}

// restart starts the deliveries of the events again, or the undelivered ones if there are no
// events, and returns their number.
func (d *Deliveries) restart(ctx context.Context, to *persistence.Endpoint, order ResendOrder, events []string) (n int, err error) {
	service := d.endpoints.service
	if len(events) == 0 {
		return service.ResendUndelivered(ctx, to.Customer, to.ID, order.UndeliveredSince.Time)
	}
	for _, event := range events {
		if len(events) == 1 {
			break // the service finds it
		}
		if _, _, err := d.read(ctx, to.ID, event); err != nil {
			return 0, err
		}
	}
	for _, event := range events {
		if err := service.Resend(ctx, to.Customer, to.ID, event); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// events returns the events of an order, sorted, and what the journal says about them. There
// are none if the order is for undelivered ones.
func (o *ResendOrder) events() (ids []string, what string, err error) {
	given := 0
	for _, is := range []bool{o.EventID != "", len(o.EventIDs) > 0, o.All, !o.UndeliveredSince.IsZero()} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, "", api.FieldError("eventId", api.RuleMissing, "", "one of eventId, eventIds, all and undeliveredSince")
	case len(o.EventIDs) > resendEventsMax:
		return nil, "", api.FieldError("eventIds", api.RuleOutOfRange, strconv.Itoa(len(o.EventIDs)), "1 to "+strconv.Itoa(resendEventsMax))
	case o.All:
		return nil, "all", nil
	case !o.UndeliveredSince.IsZero():
		return nil, "since " + o.UndeliveredSince.UTC().Format(venues.TimeFormat), nil
	case o.EventID != "":
		return []string{o.EventID}, o.EventID, nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(o.EventIDs)))
	return ids, strings.Join(ids, ","), nil
}
