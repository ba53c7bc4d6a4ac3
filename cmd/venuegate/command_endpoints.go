package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"venuegate/persistence"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func newEndpointsCommand(sh shell) *cobra.Command {
	commands := append([]*cobra.Command{
		newEndpointsCreateCommand(sh), newEndpointsChangeCommand(sh), newEndpointsRotateCommand(sh),
		newEndpointsResendCommand(sh), newEndpointsDeliveriesCommand(sh), newEndpointsTestCommand(sh),
		newEndpointsDownloadCommand(sh),
	}, endpointKind.commands(sh)...)
	return newGroup("endpoints", "Create, list, change, rotate, test and remove endpoints of events; resend", commands...)
}

func newEndpointsCreateCommand(sh shell) *cobra.Command {
	in := map[string]any{}
	kind := string(persistence.EndpointWebhook)
	var customer, name, address, target, hook, secretFile string
	var types []string
	cmd := secretCommand(sh, &cobra.Command{
		Use: "create", Short: "Create an endpoint; its secret is shown only once", Args: namedArgs,
		Long: `Creates an endpoint. A webhook has a --url and receives a signing secret. A
telegram chat, an online sheet and an .xlsx file have a --target; the token of the
bot, or the key of the service account, is read from --secret.`,
		Example: "  venuegate endpoints create --customer cus_... --url https://example.com/events --types order.filled,position.closed\n" +
			"  venuegate endpoints create --customer cus_... --kind telegram --target -1001234 --secret bot.token\n" +
			"  venuegate endpoints create --customer cus_... --kind file --target trades.xlsx",
	}, func(ctx context.Context, c *adminClient, _ []string, out *output) error {
		in["customer"], in["kind"], in["name"], in["url"], in["target"], in["hookId"], in["types"] = customer, kind, name, address, target, hook, types
		if secretFile != "" {
			secret, err := readSecret(secretFile, sh.In)
			if err != nil {
				return err
			}
			in["secret"] = secret
		}
		made, err := create[registry.Endpoint](ctx, c, "endpoints", in)
		return printEndpointSecret(out, err, made)
	})
	flags := cmd.Flags()
	flags.StringVar(&customer, "customer", "", "`ID` of the customer")
	choiceFlag(cmd, &kind, "kind", "", "kind",
		persistence.EndpointWebhook, persistence.EndpointTelegram, persistence.EndpointSheet, persistence.EndpointFile)
	flags.StringVar(&name, "name", "", "display name of the endpoint")
	flags.StringVar(&address, "url", "", "where a webhook is posted")
	flags.StringVar(&target, "target", "", "chat, spreadsheet or file")
	flags.StringSliceVar(&types, "types", nil, "events to deliver; default: all")
	completeFlag(cmd, "types", eventTypes())
	flags.StringVar(&hook, "hook", "", "`ID` of the channel whose secret signs; default: a secret of its own")
	flags.StringVar(&secretFile, "secret", "", "`FILE` of the bot's token or service account's key; - is standard input")
	requireFlags(cmd, "customer")
	return cmd
}

// readSecret reads a secret from a file or standard input, so that it does not
// show in the process list.
func readSecret(name string, in io.Reader) (string, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("read secret: %w", err)
		}
		defer func() { _ = file.Close() }() // only read
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, credentialsFileMax))
	return strings.TrimSpace(string(text)), err
}

func printEndpointSecret(out *output, err error, e registry.Endpoint) error {
	if err == nil && e.Secret != "" && out.isTable() {
		fmt.Fprintf(out, "secret  %s\n\nIt is not shown again.", e.Secret)
		if time.Now().Before(e.NextFrom.Time) {
			fmt.Fprintf(out, " It signs from %s on; until then the previous secret does.", dateTime(e.NextFrom))
		}
		fmt.Fprint(out, "\n\n")
	}
	return printOne(out, err, endpointRows, e)
}

func newEndpointsChangeCommand(sh shell) *cobra.Command {
	var name, address, target string
	var types []string
	var paused bool
	var given func(string) bool
	cmd := recordCommand(sh, &cobra.Command{
		Use: "change ID", Short: "Change the given settings of an endpoint", Args: namedArgs,
		Example: "  venuegate endpoints change end_... --pause=false   # resumes, also if it was disabled",
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		in := givenValues(given, map[string]any{"name": name, "url": address, "target": target, "types": types})
		if given("pause") {
			in["paused"] = paused
		}
		changed, err := change[registry.Endpoint](ctx, c, "endpoints", args[0], in)
		return printOne(out, err, endpointRows, changed)
	})
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "display name of the endpoint")
	flags.StringVar(&address, "url", "", "where a webhook is posted")
	flags.StringVar(&target, "target", "", "chat, spreadsheet or file")
	flags.StringSliceVar(&types, "types", nil, "events to deliver")
	completeFlag(cmd, "types", eventTypes())
	flags.BoolVar(&paused, "pause", false, "stop sending; events stay pending while they are retained")
	given = flags.Changed
	return requireChange(cmd)
}

func newEndpointsRotateCommand(sh shell) *cobra.Command {
	var after time.Duration
	var secretFile string
	cmd := secretCommand(sh, &cobra.Command{Use: "rotate ID", Short: "Give an endpoint a new secret", Args: namedArgs},
		func(ctx context.Context, c *adminClient, args []string, out *output) error {
			in := map[string]any{}
			if after > 0 {
				in["switchAt"] = venues.At(time.Now().Add(after))
			}
			if secretFile != "" {
				secret, err := readSecret(secretFile, sh.In)
				if err != nil {
					return err
				}
				in["secret"] = secret
			}
			rotated, err := act[registry.Endpoint](ctx, c, "endpoints", args[0], "rotate", in)
			return printEndpointSecret(out, err, rotated)
		})
	cmd.Flags().DurationVar(&after, "after", 0, "when the new secret begins to sign, at most 24h from now; default: immediately")
	cmd.Flags().StringVar(&secretFile, "secret", "", "`FILE` of the new token or key, for telegram and sheet")
	return cmd
}

func newEndpointsResendCommand(sh shell) *cobra.Command {
	var order registry.ResendOrder
	var since string
	cmd := adminCommand(sh, &cobra.Command{
		Use: "resend ID", Short: "Deliver events again: one, or undelivered ones", Args: namedArgs,
		Example: "  venuegate endpoints resend end_... --event evt_...\n  venuegate endpoints resend end_... --since 2026-11-20T18:00:00Z\n" +
			"  venuegate endpoints resend end_... --all",
	}, func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
		if since != "" {
			at, err := parseExportTime("since", since)
			if err != nil {
				return err
			}
			order.UndeliveredSince = venues.At(at)
		}
		resent, err := act[registry.Resent](ctx, c, "endpoints", args[0], "resend", order)
		if err == nil {
			fmt.Fprintf(out, "Deliveries started again: %d.\n", resent.Resent)
		}
		return err
	})
	cmd.Flags().StringVar(&order.EventID, "event", "", "`ID` of the event")
	cmd.Flags().StringVar(&since, "since", "", "undelivered events that were queued at this `TIME` or later")
	cmd.Flags().BoolVar(&order.All, "all", false, "all undelivered events")
	cmd.MarkFlagsOneRequired("event", "since", "all")
	cmd.MarkFlagsMutuallyExclusive("event", "since", "all")
	return cmd
}

func newEndpointsTestCommand(sh shell) *cobra.Command {
	return adminCommand(sh, &cobra.Command{Use: "test ID", Short: "Send a test event, once and immediately", Args: namedArgs},
		func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
			tested, err := act[registry.Tested](ctx, c, "endpoints", args[0], "test", nil)
			switch {
			case err != nil:
				return err
			case !tested.Delivered:
				return fmt.Errorf("%s was not delivered: %s", tested.EventID, tested.Error)
			}
			fmt.Fprintf(out, "%s was delivered: %d in %d ms\n", tested.EventID, tested.Status, tested.DurationMS)
			return nil
		})
}

func newEndpointsDownloadCommand(sh shell) *cobra.Command {
	var dir string
	cmd := adminCommand(sh, &cobra.Command{
		Use: "download ID", Short: "Copy the .xlsx files of an endpoint", Args: namedArgs,
		Long: `Copies every file that an endpoint of kind file has written, also after the endpoint
was removed; files of the same name are replaced.`,
		Example: "  venuegate endpoints download end_... --to ~/trades",
	}, func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
		files := "/admin/v1/endpoints/" + url.PathEscape(args[0]) + "/files"
		var page recordapi.Items[registry.File]
		if err := c.call(ctx, http.MethodGet, files, nil, &page); err != nil {
			return err
		}
		if len(page.Items) == 0 {
			fmt.Fprintln(out, "There is no file yet: the first closed position creates one.")
		}
		for _, f := range page.Items {
			name := filepath.Join(dir, filepath.Base(f.Name))
			err := replaceSecretFile(name, func(w io.Writer) error {
				return c.copy(ctx, files+"/"+url.PathEscape(f.Name), "download of "+f.Name, w)
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s  %d bytes\n", name, f.SizeBytes)
		}
		return nil
	})
	cmd.Flags().StringVar(&dir, "to", ".", "`DIR` to copy into")
	return cmd
}

func newEndpointsDeliveriesCommand(sh shell) *cobra.Command {
	query := url.Values{}
	var status, event string
	var limit int
	cmd := recordCommand(sh, &cobra.Command{Use: "deliveries ID", Short: "List deliveries, newest first", Args: namedArgs},
		func(ctx context.Context, c *adminClient, args []string, out *output) error {
			setIf(query, "status", status)
			setIf(query, "eventId", event)
			rows, err := readPages[registry.Delivery](ctx, c, "/admin/v1/endpoints/"+url.PathEscape(args[0])+"/deliveries", query, limit)
			return printAll(out, err, deliveryRows, rows)
		})
	choiceFlag(cmd, &status, "status", "", "status", persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered)
	cmd.Flags().StringVar(&event, "event", "", "`ID` of one event")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many")
	return cmd
}

func setIf(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func endpointRows(found ...registry.Endpoint) [][]string {
	rows := newTable(len(found), "ID", "CUSTOMER", "KIND", "TARGET", "TYPES", "STATE")
	for _, e := range found {
		state := "active"
		switch {
		case !e.RemovedAt.IsZero():
			state = "removed"
		case e.Disabled != "":
			state = "disabled: " + e.Disabled
		case e.Paused:
			state = "paused"
		}
		types := make([]string, len(e.Types))
		for i, t := range e.Types {
			types[i] = string(t)
		}
		rows = append(rows, []string{e.ID, e.Customer, string(e.Kind), e.URL + e.Target, strings.Join(types, ","), state})
	}
	return rows
}

func deliveryRows(found ...registry.Delivery) [][]string {
	rows := newTable(len(found), "EVENT", "TYPE", "STATUS", "ATTEMPTS", "DUE", "UPDATED", "LAST ERROR")
	for _, d := range found {
		due := ""
		if d.Status == persistence.DeliveryPending {
			due = dateTime(d.DueAt)
		}
		rows = append(rows, []string{d.EventID, string(d.Type), string(d.Status), strconv.Itoa(d.Attempts), due, dateTime(d.UpdatedAt), d.LastError})
	}
	return rows
}
