package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func newAlertsCommand(sh shell) *cobra.Command {
	commands := append([]*cobra.Command{newAlertsCreateCommand(sh), newAlertsChangeCommand(sh)}, alertKind.commands(sh)...)
	return newGroup("alerts", "Create, list, change and remove price alerts", commands...)
}

func newAlertsCreateCommand(sh shell) *cobra.Command {
	var n registry.NewAlert
	var exchange string
	field, op := string(venues.FieldLast), string(venues.OpAbove)
	cmd := recordCommand(sh, &cobra.Command{
		Use: "create", Short: "Create an alert on a price condition", Args: namedArgs,
		Example: "  venuegate alerts create --customer cus_... --exchange okx --symbol BTCUSDT --op crosses_above --value 60000",
	}, func(ctx context.Context, c *adminClient, _ []string, out *output) error {
		n.Exchange = venues.Venue(exchange)
		n.Condition.Field, n.Condition.Op = venues.PriceField(field), venues.PriceOp(op)
		made, err := create[registry.Alert](ctx, c, "alerts", n)
		return printOne(out, err, alertRows, made)
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	choiceFlag(cmd, &exchange, "exchange", "", "venue", venues.All()...)
	flags.StringVar(&n.Symbol, "symbol", "", "instrument")
	choiceFlag(cmd, &field, "field", "", "price", venues.FieldLast, venues.FieldMark)
	choiceFlag(cmd, &op, "op", "", "condition", venues.PriceOps()...)
	flags.StringVar(&n.Condition.Value, "value", "", "price to compare with")
	flags.BoolVar(&n.Repeat, "repeat", false, "fire again after the condition has ceased to hold")
	flags.StringVar(&n.Comment, "comment", "", "text that is sent with the event")
	requireFlags(cmd, "customer", "exchange", "symbol", "value")
	return cmd
}

func newAlertsChangeCommand(sh shell) *cobra.Command {
	var status, comment string
	var repeat bool
	var given func(string) bool
	cmd := recordCommand(sh, &cobra.Command{Use: "change ID", Short: "Arm, pause or rename an alert", Args: namedArgs},
		func(ctx context.Context, c *adminClient, args []string, out *output) error {
			in := givenValues(given, map[string]any{"status": status, "comment": comment, "repeat": repeat})
			changed, err := change[registry.Alert](ctx, c, "alerts", args[0], in)
			return printOne(out, err, alertRows, changed)
		})
	flags := cmd.Flags()
	choiceFlag(cmd, &status, "status", "", "status", persistence.AlertArmed, persistence.AlertPaused)
	flags.StringVar(&comment, "comment", "", "text that is sent with the event")
	flags.BoolVar(&repeat, "repeat", false, "fire again after the condition has ceased to hold")
	given = flags.Changed
	return requireChange(cmd)
}

func alertRows(found ...registry.Alert) [][]string {
	rows := newTable(len(found), "ID", "CUSTOMER", "EXCHANGE", "SYMBOL", "CONDITION", "STATUS", "FIRED", "COMMENT")
	for _, a := range found {
		condition := fmt.Sprintf("%s %s %s", a.Condition.Field, a.Condition.Op, a.Condition.Value)
		status := string(a.Status)
		if !a.RemovedAt.IsZero() {
			status = "removed"
		}
		rows = append(rows, []string{a.ID, a.Customer, string(a.Exchange), a.Symbol, condition, status, dateTime(a.FiredAt), a.Comment})
	}
	return rows
}

func newJournalCommand(sh shell) *cobra.Command {
	return newGroup("journal", "Read, export and verify journals", newJournalListCommand(sh), newJournalExportCommand(sh),
		adminCommand(sh, &cobra.Command{Use: "verify", Short: "Verify that the administration's journal is unmodified", Args: namedArgs},
			func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
				var v registry.Verified
				p := startProgress(sh.Err, nil, "verify")
				err := c.call(ctx, http.MethodGet, "/admin/v1/journal/verify", nil, &v)
				p.counted(int64(v.Rows), "rows")
				p.end(err)
				if err != nil {
					return err
				}
				if !v.Intact {
					return fmt.Errorf("the journal is broken at row %d %s: %s", v.Break.Seq, v.Break.ID, v.Break.Reason)
				}
				fmt.Fprintf(out, "%d rows, unmodified.\n", v.Rows)
				return nil
			}))
}

// journalFlags are the flags that filter rows.
type journalFlags map[string]*string

func addJournalFlags(flags *pflag.FlagSet) journalFlags {
	f := journalFlags{}
	for name, usage := range map[string]string{
		"customer": "`ID` of the customer; default: the administration's own journal",
		"channel":  "`ID` of a hook or an endpoint", "symbol": "instrument", "kind": "such as signal.received or delivery.attempt",
		"result": "result, such as failed", "subject": "`ID` of a signal, an order, an event ...",
		"from": "`TIME`, such as 2026-01-31T12:00:00Z", "to": "`TIME`, exclusive",
	} {
		f[name] = flags.String(name, "", usage)
	}
	return f
}

func (f journalFlags) query() url.Values {
	query := url.Values{}
	for name, value := range f {
		setIf(query, name, *value)
	}
	return query
}

func newJournalListCommand(sh shell) *cobra.Command {
	var f journalFlags
	var limit int
	cmd := recordCommand(sh, &cobra.Command{Use: "list", Short: "Show rows, newest first", Args: namedArgs},
		func(ctx context.Context, c *adminClient, _ []string, out *output) error {
			rows, err := readPages[registry.Row](ctx, c, "/admin/v1/journal", f.query(), limit)
			return printAll(out, err, journalRows, rows)
		})
	f = addJournalFlags(cmd.Flags())
	cmd.Flags().IntVar(&limit, "limit", 100, "how many")
	return cmd
}

func newJournalExportCommand(sh shell) *cobra.Command {
	var f journalFlags
	format := registry.FormatLines
	cmd := adminCommand(sh, &cobra.Command{Use: "export", Short: "Write rows as JSON lines or CSV", Args: namedArgs},
		func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
			query := f.query()
			query.Set("format", format)
			p := startProgress(sh.Err, out, "export")
			err := c.copy(ctx, "/admin/v1/journal/export?"+query.Encode(), "export", io.MultiWriter(out, p))
			p.end(err)
			return err
		})
	f = addJournalFlags(cmd.Flags())
	choiceFlag(cmd, &format, "format", "", "format", registry.FormatLines, registry.FormatCSV)
	return cmd
}

func journalRows(found ...registry.Row) [][]string {
	rows := newTable(len(found), "AT", "KIND", "SUBJECT", "CHANNEL", "SYMBOL", "RESULT", "FIELDS")
	for _, row := range found {
		fields := make([]string, len(row.Fields))
		for i, f := range row.Fields {
			fields[i] = f.Name + "=" + strconv.Quote(f.Value)
		}
		rows = append(rows, []string{
			dateTime(row.At), row.Kind, row.Subject, row.Channel, row.Symbol, row.Result, strings.Join(fields, " "),
		})
	}
	return rows
}

func newRotateKeyCommand(sh shell) *cobra.Command {
	return adminCommand(sh, &cobra.Command{
		Use: "rotate-key", Short: "Re-encrypt every secret under a new key", Args: namedArgs,
		Long: "Adds a key to the key file and seals every secret again under that key. Keep a copy\nof the new file; it also opens older backups.",
	}, func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
		var done registry.Rotated
		if err := c.call(ctx, http.MethodPost, "/admin/v1/rotate-key", nil, &done); err != nil {
			return err
		}
		fmt.Fprintf(out, "Sealed again: %d accounts, %d hooks, %d endpoints, %d users.\n", done.Accounts, done.Hooks, done.Endpoints, done.Users)
		return nil
	})
}
