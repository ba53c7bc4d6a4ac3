package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"venuegate/transport/registry"
	"venuegate/venues"
)

func newAccountsHaltCommand(sh shell) *cobra.Command {
	var order registry.HaltOrder
	cmd := recordCommand(sh, &cobra.Command{
		Use: "halt ID", Short: "Cancel every order and reject those that increase a position", Args: namedArgs,
		Long: `Cancels every order of an account until its venue has none, including those that
protect positions, and rejects orders that would increase a position until the
account is resumed. The halt survives restarts.`,
		Example: "  venuegate accounts halt cus_...:binance --flatten",
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		halted, err := act[registry.HaltedAccount](ctx, c, "accounts", args[0], "halt", order)
		if err := printOne(out, err, accountRows, halted.Account); err != nil {
			return err
		}
		if !halted.Halt.Done {
			return fmt.Errorf("the account is halted; left at the venue: %d orders, %d positions", halted.Halt.OpenOrders, halted.Halt.OpenPositions)
		}
		return nil
	})
	cmd.Flags().BoolVar(&order.Flatten, "flatten", false, "close the open positions as well")
	return cmd
}

func newAccountsResumeCommand(sh shell) *cobra.Command {
	return recordCommand(sh, &cobra.Command{Use: "resume ID", Short: "End a halt", Args: namedArgs},
		func(ctx context.Context, c *adminClient, args []string, out *output) error {
			resumed, err := act[registry.Account](ctx, c, "accounts", args[0], "resume", nil)
			return printOne(out, err, accountRows, resumed)
		})
}

func newAccountsUnlockCommand(sh shell) *cobra.Command {
	return recordCommand(sh, &cobra.Command{
		Use: "unlock ID", Short: "Unlock an account that reached its daily loss limit", Args: namedArgs,
		Long: "Ends the lock that a daily loss has set, before the day ends. The limit counts\nlosses from then on.",
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		unlocked, err := act[registry.Account](ctx, c, "accounts", args[0], "unlock", nil)
		return printOne(out, err, accountRows, unlocked)
	})
}

// noLimit is the flag value that removes a limit.
const noLimit = "none"

func newAccountsLimitsCommand(sh shell) *cobra.Command {
	var dailyLoss, notional, orders string
	var flagged func(name string) bool
	cmd := recordCommand(sh, &cobra.Command{
		Use: "limits ID", Short: "Show or set the limits of an account", Args: namedArgs,
		Example: "  venuegate accounts limits cus_...:binance --daily-loss 500 --max-order-notional 10000 --max-open-orders 50\n" +
			"  venuegate accounts limits cus_...:binance --daily-loss none",
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		var account registry.Account
		err := c.call(ctx, http.MethodGet, "/admin/v1/accounts/"+url.PathEscape(args[0]), nil, &account)
		if err != nil {
			return err
		}
		if flagged("daily-loss") {
			account.Limits.DailyLoss = limitText(dailyLoss)
		}
		if flagged("max-order-notional") {
			account.Limits.MaxOrderNotional = limitText(notional)
		}
		if flagged("max-open-orders") {
			if account.Limits.MaxOpenOrders, err = limitCount(orders); err != nil {
				return err
			}
		}
		if flagged("daily-loss") || flagged("max-order-notional") || flagged("max-open-orders") {
			account, err = change[registry.Account](ctx, c, "accounts", args[0], map[string]registry.Limits{"limits": account.Limits})
		}
		return printOne(out, err, limitRows, account)
	})
	flags := cmd.Flags()
	flags.StringVar(&dailyLoss, "daily-loss", "", "`AMOUNT` lost since 00:00 UTC that locks the account; none removes the limit")
	flags.StringVar(&notional, "max-order-notional", "", "largest notional `AMOUNT` of an increasing order; none removes the limit")
	flags.StringVar(&orders, "max-open-orders", "", "at most `N` open orders; none removes the limit")
	flagged = flags.Changed
	return cmd
}

func limitText(text string) *string {
	if text == noLimit {
		return nil
	}
	return &text
}

func limitCount(text string) (*int, error) {
	if text == noLimit {
		return nil, nil //nolint:nilnil // no limit
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("--max-open-orders %q is not a whole number", text)
	}
	return &n, nil
}

func limitRows(found ...registry.Account) [][]string {
	text := func(limit *string) string {
		if limit == nil {
			return noLimit
		}
		return *limit
	}
	rows := newTable(len(found), "ID", "DAILY LOSS", "ORDER NOTIONAL", "OPEN ORDERS", "STATE")
	for _, a := range found {
		orders := noLimit
		if a.Limits.MaxOpenOrders != nil {
			orders = strconv.Itoa(*a.Limits.MaxOpenOrders)
		}
		rows = append(rows, []string{a.ID, text(a.Limits.DailyLoss), text(a.Limits.MaxOrderNotional), orders, accountState(a)})
	}
	return rows
}

// accountState describes whether an account accepts orders, and which fees its
// daily loss cannot include.
func accountState(a registry.Account) string {
	switch {
	case a.Halted:
		return "halted"
	case a.Lock != nil:
		return "locked until " + dateTime(venues.At(a.Lock.Until.Time))
	case len(a.UncountedFees) > 0:
		return "trading; the daily loss lacks fees in " + a.UncountedFees[0].Currency
	default:
		return "trading"
	}
}
