package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"venuegate/transport/admin"
	"venuegate/venues"
)

// adminCommand is a command that calls the administration of the service.
func adminCommand(sh shell, cmd *cobra.Command, run func(ctx context.Context, c *adminClient, args []string, out io.Writer) error) *cobra.Command {
	configFlags(cmd, "data", "admin-listen")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		config, err := loadConfig(cmd, sh)
		if err != nil {
			return err
		}
		client, err := newAdminClient(config)
		if err != nil {
			return err
		}
		return run(cmd.Context(), client, args, cmd.OutOrStdout())
	}
	return cmd
}

func newCustomersCommand(sh shell) *cobra.Command {
	return newGroup("customers", "Make, list and disable customers",
		adminCommand(sh, &cobra.Command{Use: "create NAME", Short: "Make a customer", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
				made, err := create[admin.Customer](ctx, c, "customers", admin.NewCustomer{Name: args[0]})
				return printRows(out, err, customerRows(made))
			}),
		adminCommand(sh, &cobra.Command{Use: "list", Short: "List customers", Args: cobra.NoArgs},
			func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
				found, err := list[admin.Customer](ctx, c, "customers", "")
				return printRows(out, err, customerRows(found...))
			}),
		adminCommand(sh, &cobra.Command{Use: "disable ID", Short: "End a customer: its keys open nothing", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
				ended, err := end[admin.Customer](ctx, c, "customers", args[0])
				return printRows(out, err, customerRows(ended))
			}),
		adminCommand(sh, &cobra.Command{Use: "enable ID", Short: "Let a disabled customer go on", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
				enabled, err := change[admin.Customer](ctx, c, "customers", args[0], map[string]bool{"disabled": false})
				return printRows(out, err, customerRows(enabled))
			}),
	)
}

// newListCommand lists the records of one kind, of a customer or of all.
func newListCommand[T any](sh shell, name, short string, rows func(...T) [][]string) *cobra.Command {
	var customer string
	cmd := adminCommand(sh, &cobra.Command{Use: "list", Short: short, Args: cobra.NoArgs},
		func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
			found, err := list[T](ctx, c, name, customer)
			return printRows(out, err, rows(found...))
		})
	cmd.Flags().StringVar(&customer, "customer", "", "`ID` of one customer; default: all")
	return cmd
}

func newAccountsCommand(sh shell) *cobra.Command {
	return newGroup("accounts", "Connect, list, examine, limit, halt and remove venue accounts",
		newAccountsConnectCommand(sh), newListCommand(sh, "accounts", "List connected accounts", accountRows), newAccountsLimitsCommand(sh),
		newAccountsHaltCommand(sh), newAccountsResumeCommand(sh), newAccountsUnlockCommand(sh),
		adminCommand(sh, &cobra.Command{Use: "check ID", Short: "Examine an account at its venue", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
				findings, err := check(ctx, c, args[0])
				if err != nil {
					return err
				}
				return printFindings(out, args[0], findings)
			}),
		adminCommand(sh, &cobra.Command{Use: "remove ID", Short: "Forget the credentials; orders at the venue stay", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
				ended, err := end[admin.Account](ctx, c, "accounts", args[0])
				return printRows(out, err, accountRows(ended))
			}),
	)
}

func newAccountsConnectCommand(sh shell) *cobra.Command {
	var n admin.NewAccount
	var exchange, file string
	cmd := adminCommand(sh, &cobra.Command{
		Use: "connect", Short: "Connect a customer's account at a venue", Args: cobra.NoArgs,
		Long: `Connects an account. The credentials are read from a file, or from standard input
with "-", so that no other process sees them:

  {"apiKey": "...", "apiSecret": "...", "passphrase": "..."}`,
	}, func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
		credentials, err := readCredentials(file, sh.In)
		if err != nil {
			return err
		}
		connected, err := create[admin.Account](ctx, c, "accounts", map[string]string{
			"customer": n.Customer, "exchange": exchange, "apiKey": credentials.APIKey.Reveal(),
			"apiSecret": credentials.APISecret.Reveal(), "passphrase": credentials.Passphrase.Reveal(),
		})
		return printRows(out, err, accountRows(connected))
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	flags.StringVar(&exchange, "exchange", "", "venue, such as binance")
	flags.StringVar(&file, "credentials", "-", "`FILE` of the credentials")
	requireFlags(cmd, "customer", "exchange")
	return cmd
}

// whatIsGiven keeps the values of the flags that are given, by the names of the
// flags.
func whatIsGiven(given func(flag string) bool, values map[string]any) map[string]any {
	maps.DeleteFunc(values, func(flag string, _ any) bool { return !given(flag) })
	return values
}

// requireChange has a command that changes a record refuse to change nothing.
func requireChange(cmd *cobra.Command) *cobra.Command {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		given := false
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if _, configures := flagKeys[f.Name]; !configures && f.Name != "config" {
				given = true
			}
		})
		if !given {
			return errors.New("which change? none of the flags is given")
		}
		return nil
	}
	return cmd
}

func requireFlags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		// The only error is a flag that does not exist.
		_ = cmd.MarkFlagRequired(name)
	}
}

// credentialsFileMax bounds a file of credentials.
const credentialsFileMax = 64 << 10

func readCredentials(name string, in io.Reader) (venues.Credentials, error) {
	var c venues.Credentials
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return c, fmt.Errorf("read credentials: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	err := json.UnmarshalRead(io.LimitReader(in, credentialsFileMax), &c, json.RejectUnknownMembers(true))
	if err != nil {
		// The text is not repeated: it holds the secret.
		return c, fmt.Errorf("credentials must be one JSON object with apiKey, apiSecret and, where the venue has one, passphrase")
	}
	return c, nil
}

// printRows prints a table, unless err says that there is none. The first row
// is its head.
func printRows(out io.Writer, err error, rows [][]string) error {
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// newTable is the head of a table with room for n rows.
func newTable(n int, head ...string) [][]string { return append(make([][]string, 0, n+1), head) }

func customerRows(found ...admin.Customer) [][]string {
	rows := newTable(len(found), "ID", "NAME", "CREATED", "STATE")
	for _, c := range found {
		state := "enabled"
		if c.Disabled {
			state = "disabled"
		}
		rows = append(rows, []string{c.ID, c.Name, moment(c.CreatedAt), state})
	}
	return rows
}

func accountRows(found ...admin.Account) [][]string {
	rows := newTable(len(found), "ID", "ENVIRONMENT", "CONNECTED", "STATE")
	for _, a := range found {
		rows = append(rows, []string{a.ID, a.Environment, moment(a.CreatedAt), accountState(a)})
	}
	return rows
}

// moment is a time for people; "-" is none.
func moment(t venues.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}
