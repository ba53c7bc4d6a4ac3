package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"venuegate/transport/api"
	"venuegate/venues"
)

// exportOptions are the options of venuegate export.
type exportOptions struct {
	clientOptions
	Format           string
	Exchange, Symbol string
	From, To         string
}

const exportHelp = `
Quantities and prices are exact in each format. In .xlsx, times (UTC) and numbers are those of
the spreadsheet program; a number with more than 15 digits is a text, because the program
would round it. In CSV, an apostrophe is put before whatever such a program might take for a
formula in a text, and line breaks become spaces; jsonl has the texts unchanged.`

func newExportCommand(sh shell) *cobra.Command {
	return newGroup("export", "Write orders, fills or closed trades as CSV, JSON lines or .xlsx, newest first",
		exportCommand(sh, "orders", "orders, also closed ones", exportOrders),
		exportCommand(sh, "fills", "fills; without --from, those of the last 31 days", exportFills),
		exportTradesCommand(sh))
}

// exportCommand returns the command that exports one kind of record of the public interface.
func exportCommand(sh shell, kind, what string, export func(context.Context, *exportOptions, rowWriter) error) *cobra.Command {
	o := exportOptions{Format: formatCSV}
	cmd := &cobra.Command{
		Use: kind, Short: "Write " + what, Long: "Writes " + what + ".\n" + exportHelp, Args: namedArgs,
		Example: "  venuegate export " + kind + " --from 2026-01-01 --key KEY > " + kind + ".csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			if err := o.complete(config, sh.Environ); err != nil {
				return err
			}
			return o.run(cmd, kind, export)
		},
	}
	configFlags(cmd, "data", "listen")
	flags := cmd.Flags()
	flags.StringVar(&o.URL, "url", "", "base `ADDRESS` of the service; default: the one configured here")
	flags.StringVar(&o.Key, "key", "", "API `KEY` with the scope read; default: VENUEGATE_KEY, or the demo's")
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags of every export.
func (o *exportOptions) addFlags(cmd *cobra.Command) {
	choiceFlag(cmd, &o.Format, "format", "", "format, all with the same columns", formatCSV, formatJSONL, formatWorkbook)
	choiceFlag(cmd, &o.Exchange, "exchange", "", "only this `VENUE`", venues.All()...)
	flags := cmd.Flags()
	flags.StringVar(&o.Symbol, "symbol", "", "only this `SYMBOL`")
	flags.StringVar(&o.From, "from", "", "only from this `TIME` on: RFC 3339, or a date in UTC")
	flags.StringVar(&o.To, "to", "", "only before this `TIME`; default: now")
}

// run writes all rows to the output of the command, and its progress to the other one.
func (o *exportOptions) run(cmd *cobra.Command, kind string, export func(context.Context, *exportOptions, rowWriter) error) error {
	out := cmd.OutOrStdout()
	if o.Format == formatWorkbook && isTerminal(out) {
		return fmt.Errorf(".xlsx is not printed to a terminal: redirect it (> %s.xlsx)", kind)
	}
	p := startProgress(cmd.ErrOrStderr(), out, "export")
	rows := &countedRows{rowWriter: newRowWriter(o.Format, io.MultiWriter(out, p)), progress: p, kind: kind}
	err := export(cmd.Context(), o, rows)
	if endErr := rows.end(err == nil); err == nil {
		err = endErr
	}
	if err != nil {
		err = fmt.Errorf("the export is incomplete after %d %s: %w", rows.n, kind, err)
	}
	p.end(err)
	return err
}

// query returns the query of a page.
func (o *exportOptions) query(limit int, from, to string) url.Values {
	q := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, value := range map[string]string{"exchange": o.Exchange, "symbol": o.Symbol, "from": from, "to": to} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func exportOrders(ctx context.Context, o *exportOptions, rows rowWriter) error {
	leg := &venues.ProtectionLeg{}
	columns, err := columnsOf(api.AppendOrder(nil, &venues.Order{
		Protection: &venues.Protection{StopLoss: leg, TakeProfit: leg}, Error: &venues.RejectReason{},
	}))
	if err != nil {
		return err
	}
	if err := rows.begin(columns); err != nil {
		return err
	}
	q := o.query(api.OrdersLimitMax, o.From, o.To)
	q.Set("status", "all")
	return newPublicClient(o.clientOptions).each(ctx, "/v1/orders", q, rows.write)
}

// exportFills lists one period after another, because a list covers api.FillsWindowDaysMax.
func exportFills(ctx context.Context, o *exportOptions, rows rowWriter) error {
	columns, err := columnsOf(api.AppendFill(nil, &venues.Fill{}))
	if err != nil {
		return err
	}
	from, to, err := o.period(time.Now())
	if err != nil {
		return err
	}
	if err := rows.begin(columns); err != nil {
		return err
	}
	client := newPublicClient(o.clientOptions)
	for to.After(from) {
		begin := to.Add(-api.FillsWindowDaysMax * day)
		if begin.Before(from) {
			begin = from
		}
		q := o.query(api.FillsLimitMax, begin.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano))
		if err := client.each(ctx, "/v1/fills", q, rows.write); err != nil {
			return err
		}
		to = begin
	}
	return nil
}

// period returns the period of an export of fills: by default the newest that one list covers.
func (o *exportOptions) period(now time.Time) (from, to time.Time, err error) {
	to = now.UTC()
	if o.To != "" {
		if to, err = parseExportTime("to", o.To); err != nil {
			return from, to, err
		}
	}
	from = to.Add(-api.FillsWindowDaysMax * day)
	if o.From != "" {
		from, err = parseExportTime("from", o.From)
	}
	return from, to, err
}

func parseExportTime(flag, text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--%s is %q; it must be a time such as 2026-11-20T09:19:00Z, or a date such as 2026-11-20", flag, text)
}
