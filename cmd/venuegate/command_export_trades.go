package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"venuegate/transport/registry"
)

// exportTradesCommand returns the command that exports closed trades. They are part of the
// administration API; the trades of the public interface are those of the market.
func exportTradesCommand(sh shell) *cobra.Command {
	o := exportOptions{Format: formatCSV}
	var customer string
	cmd := &cobra.Command{
		Use: "trades", Short: "Write closed trades: positions from their opening until they are flat", Args: namedArgs,
		Long: `Writes closed trades: a row for each position from its first execution until it is flat,
with its prices, result and fee. Those that were opened last come first; --from and --to are
about the time when a trade was closed.

The trades are derived from the fills that the service keeps. A value that is not known is
empty: the result of a position without its first executions, and a fee in several
currencies. When a quantity was taken from the venue's list because executions were missing
(venuegate journal list --kind position.adopted), the trades in that instrument from before
are left out.
` + exportHelp,
		Example: "  venuegate export trades --customer cus_... --from 2026-01-01 --format xlsx > trades.xlsx",
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			client, err := newAdminClient(config)
			if err != nil {
				return err
			}
			if customer == "" {
				customer, err = onlyCustomer(cmd.Context(), client)
			} else {
				customer, err = client.wholeID(cmd.Context(), customer)
			}
			if err != nil {
				return err
			}
			return o.run(cmd, "trades", func(ctx context.Context, o *exportOptions, rows rowWriter) error {
				return exportTrades(ctx, client, customer, o, rows)
			})
		},
	}
	configFlags(cmd, "data", "admin-listen")
	cmd.Flags().StringVar(&customer, "customer", "", "`ID` of the customer; default: the only one")
	o.addFlags(cmd)
	return cmd
}

// onlyCustomer returns the customer of an installation that has one.
func onlyCustomer(ctx context.Context, client *adminClient) (id string, err error) {
	customers, err := list[registry.Customer](ctx, client, "customers", "")
	if err != nil {
		return "", err
	}
	if len(customers) != 1 {
		return "", fmt.Errorf("there are %d customers: set --customer", len(customers))
	}
	return customers[0].ID, nil
}

func exportTrades(ctx context.Context, client *adminClient, customer string, o *exportOptions, rows rowWriter) error {
	q := url.Values{"customer": {customer}}
	setIf(q, "exchange", o.Exchange)
	setIf(q, "symbol", o.Symbol)
	for name, text := range map[string]string{"from": o.From, "to": o.To} {
		if text != "" {
			at, err := parseExportTime(name, text)
			if err != nil {
				return err
			}
			q.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	sample, err := json.Marshal(registry.Trade{})
	if err != nil {
		return err
	}
	columns, err := columnsOf(sample)
	if err != nil {
		return err
	}
	if err := rows.begin(columns); err != nil {
		return err
	}
	body, err := client.open(ctx, "/admin/v1/trades/export?"+q.Encode())
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // only read
	lines := jsontext.NewDecoder(body)
	for {
		trade, err := lines.ReadValue()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the trades: %w", err)
		}
		if err := rows.write(trade); err != nil {
			return err
		}
	}
}
