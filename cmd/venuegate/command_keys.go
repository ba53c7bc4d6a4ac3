package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func newKeysCommand(sh shell) *cobra.Command {
	return newGroup("keys", "Create, list, change and revoke API keys", newKeysCreateCommand(sh), newKeysChangeCommand(sh),
		newListCommand(sh, "keys", "List keys, including revoked ones", keyRows),
		recordCommand(sh, &cobra.Command{Use: "revoke ID", Short: "Revoke a key permanently", Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				ended, err := end[registry.Key](ctx, c, "keys", args[0])
				return printOne(out, err, keyRows, ended)
			}),
	)
}

// keyScopes are the scopes of keys.
var keyScopes = []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade, persistence.ScopeAccount}

func newKeysCreateCommand(sh shell) *cobra.Command {
	var n registry.NewKey
	scopes := []string{string(persistence.ScopeRead)}
	var expires time.Duration
	cmd := secretCommand(sh, &cobra.Command{
		Use: "create", Short: "Create an API key; it is shown only once", Args: namedArgs,
		Example: "  venuegate keys create --customer cus_... --name desk --scopes read,trade,account --expires 2160h",
	}, func(ctx context.Context, c *adminClient, _ []string, out *output) error {
		for _, scope := range scopes {
			n.Scopes = append(n.Scopes, persistence.Scope(scope))
		}
		if expires != 0 {
			n.ExpiresAt = venues.At(time.Now().Add(expires))
		}
		made, err := create[registry.Key](ctx, c, "keys", n)
		if err == nil && out.isTable() {
			fmt.Fprintf(out, "%s\n\nThis key is not shown again.\n\n", made.APIKey)
		}
		return printOne(out, err, keyRows, made)
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	flags.StringVar(&n.Name, "name", "", "display name of the key")
	choicesFlag(cmd, &scopes, "scopes", "what the key may do", keyScopes...)
	flags.DurationVar(&expires, "expires", 0, "how long from now, such as 2160h; default: never")
	flags.StringSliceVar(&n.Allow, "allow", nil, "addresses or prefixes that may use it; default: all")
	requireFlags(cmd, "customer", "name")
	return cmd
}

func newKeysChangeCommand(sh shell) *cobra.Command {
	var name string
	var scopes, allow []string
	var expires time.Duration
	var given func(string) bool
	cmd := recordCommand(sh, &cobra.Command{
		Use: "change ID", Short: "Change the given settings of a key", Args: namedArgs,
		Example: "  venuegate keys change fGmh4sCi --scopes read,account --allow 192.0.2.7,10.0.0.0/8\n  venuegate keys change fGmh4sCi --allow \"\"   # allow every address",
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		in := givenValues(given, map[string]any{"name": name, "scopes": scopes, "allow": allow})
		if given("expires") {
			in["expiresAt"] = venues.At(time.Now().Add(expires))
		}
		changed, err := change[registry.Key](ctx, c, "keys", args[0], in)
		return printOne(out, err, keyRows, changed)
	})
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "display name of the key")
	choicesFlag(cmd, &scopes, "scopes", "what the key may do", keyScopes...)
	flags.DurationVar(&expires, "expires", 0, "how long from now, such as 2160h")
	flags.StringSliceVar(&allow, "allow", nil, "addresses or prefixes that may use it")
	given = flags.Changed
	return requireChange(cmd)
}

func keyRows(found ...registry.Key) [][]string {
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
		rows = append(rows, []string{k.ID, k.Customer, k.Name, strings.Join(scopes, ","), allow, dateTime(k.ExpiresAt), dateTime(k.RevokedAt)})
	}
	return rows
}
