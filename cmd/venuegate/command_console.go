package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"venuegate/persistence"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
)

const (
	// loginLife is how long the link of `console login` is valid.
	loginLife = 10 * time.Minute
	// operatorLogin is the login of the operator unless another is given.
	operatorLogin = "operator"
)

func newConsoleCommand(sh shell) *cobra.Command {
	return newGroup("console", "Invite users to the web console, and let them in again", newConsoleInviteCommand(sh), newConsoleLoginCommand(sh))
}

func newConsoleInviteCommand(sh shell) *cobra.Command {
	var n registry.NewUser
	role := string(persistence.RoleViewer)
	cmd := adminCommand(sh, &cobra.Command{
		Use: "invite", Short: "Create a user and print the link to set the password", Args: namedArgs,
		Long:    "Creates a user of the web console and prints a link, which can be used once within\n24 hours to set the password.",
		Example: "  venuegate console invite --customer cus_... --login ann@example.com --role owner",
	}, func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
		n.Role = persistence.Role(role)
		invited, err := create[registry.User](ctx, c, "users", n)
		return printLink(out, err, invited)
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	flags.StringVar(&n.Login, "login", "", "login of the user, such as an e-mail address")
	choiceFlag(cmd, &role, "role", "", "what the user may do", persistence.RoleViewer, persistence.RoleTrader, persistence.RoleOwner)
	requireFlags(cmd, "customer", "login")
	return cmd
}

func newConsoleLoginCommand(sh shell) *cobra.Command {
	var login string
	var operator bool
	cmd := adminCommand(sh, &cobra.Command{
		Use: "login", Short: "Print a link to set another password", Args: namedArgs,
		Long:    "Prints a link, which can be used once within 10 minutes to set another password. It\nalso removes the second step, for a lost device. With --operator the user is an\noperator, who is created if need be and signs in at the administration listener.",
		Example: "  venuegate console login --login ann@example.com\n  venuegate console login --operator",
	}, func(ctx context.Context, c *adminClient, _ []string, out io.Writer) error {
		switch {
		case operator:
			if login == "" {
				login = operatorLogin
			}
			if err := createOperator(ctx, c, login); err != nil {
				return err
			}
		case login == "":
			return errors.New("set --login, or --operator")
		}
		var invited registry.User
		err := c.call(ctx, http.MethodPost, "/admin/v1/users/"+url.PathEscape(login)+"/invite", registry.NewInvite{ValidSec: int(loginLife.Seconds())}, &invited)
		return printLink(out, err, invited)
	})
	cmd.Flags().StringVar(&login, "login", "", "login of the user; default with --operator: "+operatorLogin)
	cmd.Flags().BoolVar(&operator, "operator", false, "an operator of the installation")
	return cmd
}

// createOperator creates an operator unless there is one with the login.
func createOperator(ctx context.Context, c *adminClient, login string) error {
	var users recordapi.Items[registry.User]
	if err := c.call(ctx, http.MethodGet, "/admin/v1/users", nil, &users); err != nil {
		return err
	}
	for _, u := range users.Items {
		if u.ID != login {
			continue
		}
		if u.Role != persistence.RoleOperator {
			return fmt.Errorf("%s is a user of customer %s", login, u.Customer)
		}
		return nil
	}
	_, err := create[registry.User](ctx, c, "users", registry.NewUser{Login: login, Role: persistence.RoleOperator})
	return err
}

// printLink prints the link of an invitation.
func printLink(out io.Writer, err error, invited registry.User) error {
	if err == nil {
		fmt.Fprintf(out, "%s\n\nFor %s, once, until %s UTC. It is not shown again.\n", invited.Link, invited.ID, dateTime(invited.InvitedUntil))
	}
	return err
}
