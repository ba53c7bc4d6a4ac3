package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"venuegate/persistence"
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

func newKeysCommand(sh shell) *cobra.Command {
	return newGroup("keys", "Make, list and revoke API keys", newKeysCreateCommand(sh), newListCommand(sh, "keys", "List keys, the revoked ones too", keyRows),
		adminCommand(sh, &cobra.Command{Use: "revoke ID", Short: "End a key for good", Args: cobra.ExactArgs(1)},
			func(ctx context.Context, c *adminClient, args []string, out io.Writer) error {
				ended, err := end[admin.Key](ctx, c, "keys", args[0])
				return printRows(out, err, keyRows(ended))
			}),
	)
}

func newKeysCreateCommand(sh shell) *cobra.Command {
	var n admin.NewKey
	var scopes []string
	var expires time.Duration
	cmd := adminCommand(sh, &cobra.Command{
		Use: "create", Short: "Make an API key; it is shown this once", Args: cobra.NoArgs,
		Example: "  venuegate keys create --customer cus_... --name desk --scopes read,trade,account --expires 2160h",
	}, func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
		for _, scope := range scopes {
			n.Scopes = append(n.Scopes, persistence.Scope(scope))
		}
		if expires != 0 {
			n.ExpiresAt = venues.At(time.Now().Add(expires))
		}
		made, err := create[admin.Key](ctx, c, "keys", n)
		if err == nil {
			fmt.Fprintf(out, "%s\n\nThis key is not shown again.\n\n", made.APIKey)
		}
		return printRows(out, err, keyRows(made))
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	flags.StringVar(&n.Name, "name", "", "what people call the key")
	flags.StringSliceVar(&scopes, "scopes", []string{string(persistence.ScopeRead)}, "read, trade, account")
	flags.DurationVar(&expires, "expires", 0, "how long from now, such as 2160h; default: never")
	flags.StringSliceVar(&n.Allow, "allow", nil, "addresses or prefixes that may use it; default: all")
	requireFlags(cmd, "customer", "name")
	return cmd
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

func keyRows(found ...admin.Key) [][]string {
	rows := newTable(len(found), "ID", "CUSTOMER", "NAME", "SCOPES", "ALLOW", "EXPIRES", "REVOKED")
	for _, k := range found {
		scopes := make([]string, len(k.Scopes))
		for i, s := range k.Scopes {
			scopes[i] = string(s)
		}
		allow := "any"
		if len(k.Allow) > 0 {
			allow = strings.Join(k.Allow, ",")
		}
		rows = append(rows, []string{k.ID, k.Customer, k.Name, strings.Join(scopes, ","), allow, moment(k.ExpiresAt), moment(k.RevokedAt)})
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
