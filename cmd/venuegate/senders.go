package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/transport/notify"
	"venuegate/transport/registry"
	"venuegate/transport/webhook"
	"venuegate/venues"
)

// sheetsName is the directory of the .xlsx files, below the data directory.
const sheetsName = "sheets"

// outbound holds the senders of events for each kind of endpoint.
type outbound struct {
	posts    *webhook.Sender
	telegram *notify.Telegram
	sheet    *notify.Sheet
	workbook *notify.Workbook
	policy   webhook.DialPolicy
}

func (e *engine) openOutbound() error {
	agent, secrets := "venuegate/"+version, e.secrets()
	o := outbound{policy: e.config.dialPolicy()}
	o.posts = webhook.NewSender(webhook.Options{
		Policy: o.policy, Secrets: webhook.Secrets{Unseal: secrets.Open, Channel: e.channelRecord},
		HeaderPrefix: e.config.HeaderPrefix, UserAgent: agent,
	})
	e.add(func() error { o.posts.Close(); return nil })
	var err error
	o.telegram, err = notify.NewTelegram(notify.TelegramOptions{URL: e.config.Notify.TelegramURL, Unseal: secrets.Open, UserAgent: agent})
	if err != nil {
		return fmt.Errorf("prepare telegram: %w", err)
	}
	e.add(func() error { o.telegram.Close(); return nil })
	o.sheet, err = notify.NewSheet(notify.SheetOptions{
		URL: e.config.Notify.SheetsURL, TokenURL: e.config.Notify.GoogleTokenURL, Unseal: secrets.Open, UserAgent: agent,
	})
	if err != nil {
		return fmt.Errorf("prepare sheets: %w", err)
	}
	e.add(func() error { o.sheet.Close(); return nil })
	o.workbook = notify.NewWorkbook(notify.WorkbookOptions{Dir: e.sheets()})
	e.outbound = o
	return nil
}

// sheets returns the directory of the .xlsx files.
func (e *engine) sheets() string { return filepath.Join(e.config.Data, sheetsName) }

func (o *outbound) senders() map[persistence.EndpointKind]delivery.Sender {
	return map[persistence.EndpointKind]delivery.Sender{
		persistence.EndpointWebhook: o.posts, persistence.EndpointTelegram: o.telegram,
		persistence.EndpointSheet: o.sheet, persistence.EndpointFile: o.workbook,
	}
}

// targets returns the checks of an endpoint's target for each kind. The URL of a
// webhook is not called, because its receiver may start later.
func (o *outbound) targets() map[persistence.EndpointKind]registry.Target {
	form := func(kind persistence.EndpointKind) func(string) error {
		return func(target string) error { return notify.CheckTarget(kind, target) }
	}
	return map[persistence.EndpointKind]registry.Target{
		persistence.EndpointWebhook:  {Check: o.policy.CheckTarget},
		persistence.EndpointTelegram: {Check: form(persistence.EndpointTelegram), Reach: o.telegram.Check},
		persistence.EndpointSheet:    {Check: form(persistence.EndpointSheet), Reach: o.sheet.Check},
		persistence.EndpointFile:     {Check: form(persistence.EndpointFile), Reach: o.workbook.Check},
	}
}

// endpointSecret returns the current signing secret of an endpoint.
func (e *engine) endpointSecret(ctx context.Context, customer, id string) (venues.Secret, error) {
	records, err := e.store.Endpoints(ctx, customer)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(records, func(r persistence.Endpoint) bool { return r.ID == id })
	if i < 0 {
		return "", persistence.ErrNotFound
	}
	return webhook.Secrets{Unseal: e.secrets().Open, Channel: e.channelRecord}.Of(ctx, records[i], time.Now())
}

// channelRecord returns a channel of the customer, including removed ones.
func (e *engine) channelRecord(ctx context.Context, customer, id string) (persistence.Channel, error) {
	records, err := e.store.Channels(ctx, customer)
	if err != nil {
		return persistence.Channel{}, err
	}
	for _, c := range records {
		if c.ID == id {
			return c, nil
		}
	}
	return persistence.Channel{}, persistence.ErrNotFound
}
