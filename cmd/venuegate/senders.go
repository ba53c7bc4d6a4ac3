package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/transport/notify"
	"venuegate/transport/webhook"
	"venuegate/venues"
)

// sheetsName is the directory of the .xlsx files, below the data directory.
const sheetsName = "sheets"

// outbound is what carries events to each kind of endpoint.
type outbound struct {
	posts    *webhook.Sender
	telegram *notify.Telegram
	sheet    *notify.Sheet
	workbook *notify.Workbook
	guard    webhook.Guard
}

func (e *engine) openOutbound() error {
	agent, secrets := "venuegate/"+version, e.secrets()
	o := outbound{guard: e.config.guard()}
	o.posts = webhook.NewSender(webhook.Options{
		Guard: o.guard, Secrets: webhook.Secrets{Unseal: secrets.Open, Channel: e.channelRecord},
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

// sheets is where the .xlsx files are.
func (e *engine) sheets() string { return filepath.Join(e.config.Data, sheetsName) }

func (o *outbound) senders() map[persistence.EndpointKind]delivery.Sender {
	return map[persistence.EndpointKind]delivery.Sender{
		persistence.EndpointWebhook: o.posts, persistence.EndpointTelegram: o.telegram,
		persistence.EndpointSheet: o.sheet, persistence.EndpointFile: o.workbook,
	}
}

// targets says what an endpoint of each kind may lead to. A webhook's URL may
// well come to life after its endpoint.
func (o *outbound) targets() map[persistence.EndpointKind]admin.Target {
	form := func(kind persistence.EndpointKind) func(string) error {
		return func(target string) error { return notify.CheckTarget(kind, target) }
	}
	return map[persistence.EndpointKind]admin.Target{
		persistence.EndpointWebhook:  {Form: o.guard.CheckTarget},
		persistence.EndpointTelegram: {Form: form(persistence.EndpointTelegram), Reach: o.telegram.Check},
		persistence.EndpointSheet:    {Form: form(persistence.EndpointSheet), Reach: o.sheet.Check},
		persistence.EndpointFile:     {Form: form(persistence.EndpointFile), Reach: o.workbook.Check},
	}
}

// endpointSecret is what signs for an endpoint now.
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

// channelRecord finds a channel of the customer, the removed ones too.
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
