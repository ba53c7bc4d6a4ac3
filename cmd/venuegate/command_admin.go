package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// adminCommand completes a command that calls the administration API. Ids in its arguments
// and flags may be shortened.
func adminCommand(sh shell, cmd *cobra.Command, run func(ctx context.Context, c *adminClient, args []string, out io.Writer) error) *cobra.Command {
	configFlags(cmd, "data", "admin-listen")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := openAdminClient(cmd, sh)
		if err != nil {
			return err
		}
		if err := client.completeIDs(cmd, args); err != nil {
			return err
		}
		return run(cmd.Context(), client, args, cmd.OutOrStdout())
	}
	return cmd
}

func openAdminClient(cmd *cobra.Command, sh shell) (*adminClient, error) {
	config, err := loadConfig(cmd, sh)
	if err != nil {
		return nil, err
	}
	return newAdminClient(config)
}

// recordCommand is adminCommand for a command that prints records.
func recordCommand(sh shell, cmd *cobra.Command, run func(ctx context.Context, c *adminClient, args []string, out *output) error) *cobra.Command {
	return outputCommand(sh, cmd, false, run)
}

// secretCommand is recordCommand for records with secrets that are shown only once.
func secretCommand(sh shell, cmd *cobra.Command, run func(ctx context.Context, c *adminClient, args []string, out *output) error) *cobra.Command {
	return outputCommand(sh, cmd, true, run)
}

func outputCommand(
	sh shell, cmd *cobra.Command, whole bool, run func(ctx context.Context, c *adminClient, args []string, out *output) error,
) *cobra.Command {
	out := &output{}
	out.addFlags(cmd, whole)
	return adminCommand(sh, cmd, func(ctx context.Context, c *adminClient, args []string, w io.Writer) error {
		out.open(w, sh.Environ)
		return run(ctx, c, args, out)
	})
}

func newCustomersCommand(sh shell) *cobra.Command {
	return newGroup("customers", "Create, list, disable and enable customers",
		recordCommand(sh, &cobra.Command{Use: "create NAME", Short: "Create a customer", Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				made, err := create[registry.Customer](ctx, c, "customers", registry.NewCustomer{Name: args[0]})
				return printOne(out, err, customerRows, made)
			}),
		recordCommand(sh, &cobra.Command{Use: "list", Short: "List customers", Args: namedArgs},
			func(ctx context.Context, c *adminClient, _ []string, out *output) error {
				found, err := list[registry.Customer](ctx, c, "customers", "")
				return printAll(out, err, customerRows, found)
			}),
		recordCommand(sh, &cobra.Command{Use: "disable ID", Short: "Disable a customer: its keys stop working", Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				ended, err := end[registry.Customer](ctx, c, "customers", args[0])
				return printOne(out, err, customerRows, ended)
			}),
		recordCommand(sh, &cobra.Command{Use: "enable ID", Short: "Enable a disabled customer", Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				enabled, err := change[registry.Customer](ctx, c, "customers", args[0], map[string]bool{"disabled": false})
				return printOne(out, err, customerRows, enabled)
			}),
	)
}

// newListCommand returns a command that lists the records of one kind, of one
// customer or of all.
func newListCommand[T any](sh shell, name, short string, rows func(...T) [][]string) *cobra.Command {
	var customer string
	cmd := recordCommand(sh, &cobra.Command{Use: "list", Short: short, Args: namedArgs},
		func(ctx context.Context, c *adminClient, _ []string, out *output) error {
			found, err := list[T](ctx, c, name, customer)
			return printAll(out, err, rows, found)
		})
	cmd.Flags().StringVar(&customer, "customer", "", "`ID` of one customer; default: all")
	return cmd
}

func newAccountsCommand(sh shell) *cobra.Command {
	return newGroup("accounts", "Connect, list, check, limit, halt and remove venue accounts",
		newAccountsConnectCommand(sh), newListCommand(sh, "accounts", "List connected accounts", accountRows), newAccountsLimitsCommand(sh),
		newAccountsHaltCommand(sh), newAccountsResumeCommand(sh), newAccountsUnlockCommand(sh),
		outputCommand(sh, &cobra.Command{Use: "check ID", Short: "Check an account at its venue", Args: namedArgs}, true,
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				results, err := check(ctx, c, args[0])
				if err != nil {
					return err
				}
				found := findings{out: out}
				found.add(args[0], results)
				return found.end()
			}),
		recordCommand(sh, &cobra.Command{Use: "remove ID", Short: "Delete the credentials; orders at the venue stay open", Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				ended, err := end[registry.Account](ctx, c, "accounts", args[0])
				return printOne(out, err, accountRows, ended)
			}),
	)
}

func newAccountsConnectCommand(sh shell) *cobra.Command {
	var n registry.NewAccount
	var exchange, file string
	cmd := recordCommand(sh, &cobra.Command{
		Use: "connect", Short: "Connect a customer's account at a venue", Args: namedArgs,
		Long: `Connects an account. The credentials are read from a file, or from standard input
with "-", so that they do not show in the process list:

  {"apiKey": "...", "apiSecret": "...", "passphrase": "..."}`,
	}, func(ctx context.Context, c *adminClient, _ []string, out *output) error {
		credentials, err := readCredentials(file, sh.In)
		if err != nil {
			return err
		}
		connected, err := create[registry.Account](ctx, c, "accounts", map[string]string{
			"customer": n.Customer, "exchange": exchange, "apiKey": credentials.APIKey.Reveal(),
			"apiSecret": credentials.APISecret.Reveal(), "passphrase": credentials.Passphrase.Reveal(),
		})
		return printOne(out, err, accountRows, connected)
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	choiceFlag(cmd, &exchange, "exchange", "", "venue", venues.All()...)
	flags.StringVar(&file, "credentials", "-", "`FILE` of the credentials")
	requireFlags(cmd, "customer", "exchange")
	return cmd
}

// givenValues returns the values whose flag is set. values are keyed by flag.
func givenValues(given func(flag string) bool, values map[string]any) map[string]any {
	maps.DeleteFunc(values, func(flag string, _ any) bool { return !given(flag) })
	return values
}

// requireChange makes a command fail unless one of its own flags is set.
func requireChange(cmd *cobra.Command) *cobra.Command {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		given := false
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if _, configures := flagKeys[f.Name]; !configures && !slices.Contains([]string{"config", "output", "no-headers", "quiet"}, f.Name) {
				given = true
			}
		})
		if !given {
			return errors.New("nothing to change: set at least one flag")
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
		defer func() { _ = file.Close() }() // only read
		in = file
	}
	err := json.UnmarshalRead(io.LimitReader(in, credentialsFileMax), &c, json.RejectUnknownMembers(true))
	if err != nil {
		// The text is not part of the error: it holds the secret.
		return c, fmt.Errorf("credentials must be one JSON object with apiKey, apiSecret and, where the venue has one, passphrase")
	}
	return c, nil
}

func customerRows(found ...registry.Customer) [][]string {
	rows := newTable(len(found), "ID", "NAME", "CREATED", "STATE")
	for _, c := range found {
		state := "enabled"
		if c.Disabled {
			state = "disabled"
		}
		rows = append(rows, []string{c.ID, c.Name, dateTime(c.CreatedAt), state})
	}
	return rows
}

func accountRows(found ...registry.Account) [][]string {
	rows := newTable(len(found), "ID", "ENVIRONMENT", "CONNECTED", "STATE")
	for _, a := range found {
		rows = append(rows, []string{a.ID, a.Environment, dateTime(a.CreatedAt), accountState(a)})
	}
	return rows
}

// dateTime formats a time for people; the zero time is empty.
func dateTime(t venues.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateTime)
}
