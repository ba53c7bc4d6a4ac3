package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"venuegate/persistence"
	"venuegate/transport/registry"
)

// recordKind is a kind of record with its name in the administration API.
type recordKind[T any] struct {
	name, noun string
	rows       func(...T) [][]string
}

var (
	hookKind     = recordKind[registry.Hook]{"hooks", "channel", hookRows}
	endpointKind = recordKind[registry.Endpoint]{"endpoints", "endpoint", endpointRows}
	alertKind    = recordKind[registry.Alert]{"alerts", "alert", alertRows}
)

// commands returns the commands that are the same for all kinds: list, show and remove.
func (k recordKind[T]) commands(sh shell) []*cobra.Command {
	return []*cobra.Command{
		newListCommand(sh, k.name, "List "+k.name, k.rows),
		recordCommand(sh, &cobra.Command{Use: "show ID", Short: "Show all fields of one " + k.noun, Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				var record T
				err := c.call(ctx, http.MethodGet, "/admin/v1/"+k.name+"/"+url.PathEscape(args[0]), nil, &record)
				if err == nil && out.isTable() {
					return out.printFields(record)
				}
				return printOne(out, err, k.rows, record)
			}),
		recordCommand(sh, &cobra.Command{Use: "remove ID", Short: "Remove one " + k.noun + " permanently", Args: namedArgs},
			func(ctx context.Context, c *adminClient, args []string, out *output) error {
				ended, err := end[T](ctx, c, k.name, args[0])
				return printOne(out, err, k.rows, ended)
			}),
	}
}

// act sends a POST request for an action on one record.
func act[Out any](ctx context.Context, c *adminClient, kind, id, action string, in any) (out Out, err error) {
	err = c.call(ctx, http.MethodPost, "/admin/v1/"+kind+"/"+url.PathEscape(id)+"/"+action, in, &out)
	return out, err
}

func newHooksCommand(sh shell) *cobra.Command {
	commands := append([]*cobra.Command{newHooksCreateCommand(sh), newHooksChangeCommand(sh), newHooksRotateCommand(sh), newHooksTestCommand(sh), newHooksFireCommand(sh)},
		hookKind.commands(sh)...)
	return newGroup("hooks", "Create, list, change, rotate, test, fire and remove inbound channels", commands...)
}

// ruleFlags are the flags of a channel's rules.
type ruleFlags struct {
	symbols  []string
	maxQty   string
	stop     bool
	opposite string
	maxAge   time.Duration
}

func (f *ruleFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.symbols, "symbols", nil, "instruments that may be traded; default: all")
	flags.StringVar(&f.maxQty, "max-qty", "", "largest position in base coin; default: none")
	flags.BoolVar(&f.stop, "stop-required", false, "reject opening signals without a stop loss")
	choiceFlag(cmd, &f.opposite, "opposite", "", "what a signal against the position does",
		persistence.OppositeIgnore, persistence.OppositeClose, persistence.OppositeReverse, persistence.OppositeReject)
	flags.DurationVar(&f.maxAge, "max-age", 0, "oldest signal that is executed; default: 1m for market, 10m for limit orders")
}

// set copies the flags that are set into rules.
func (f *ruleFlags) set(rules *registry.Rules, given func(string) bool) {
	if given("symbols") {
		rules.Symbols = f.symbols
	}
	if given("max-qty") {
		rules.MaxQty = limitText(f.maxQty)
	}
	if given("stop-required") {
		rules.StopRequired = f.stop
	}
	if given("opposite") {
		rules.Opposite = persistence.OppositePolicy(f.opposite)
	}
	if given("max-age") {
		rules.MaxAgeSec = int(f.maxAge / time.Second)
	}
}

func newHooksCreateCommand(sh shell) *cobra.Command {
	var n registry.NewHook
	var rules ruleFlags
	kind := string(persistence.ChannelWebhook)
	var given func(string) bool
	cmd := secretCommand(sh, &cobra.Command{
		Use: "create", Short: "Create a channel; its secrets are shown only once", Args: namedArgs,
		Example: "  venuegate hooks create --customer cus_... --name bot --max-qty 0.5 --stop-required --opposite reverse\n" +
			"  venuegate hooks create --customer cus_... --name charts --kind chart --test",
	}, func(ctx context.Context, c *adminClient, _ []string, out *output) error {
		n.Kind = persistence.ChannelKind(kind)
		rules.set(&n.Rules, given)
		made, err := create[registry.Hook](ctx, c, "hooks", n)
		return printHookSecrets(out, err, made)
	})
	flags := cmd.Flags()
	flags.StringVar(&n.Customer, "customer", "", "`ID` of the customer")
	flags.StringVar(&n.Name, "name", "", "display name of the channel")
	choiceFlag(cmd, &kind, "kind", "", "kind; the requests of a webhook are signed", persistence.ChannelWebhook, persistence.ChannelChart)
	flags.BoolVar(&n.TestMode, "test", false, "in test mode: nothing is sent to a venue")
	flags.StringSliceVar(&n.Allow, "allow", nil, "addresses or prefixes that may send; default: all")
	flags.BoolVar(&n.AllowRepeats, "allow-repeats", false, "chart: equal bodies within 30 s are separate signals")
	rules.add(cmd)
	requireFlags(cmd, "customer", "name")
	given = flags.Changed
	return cmd
}

// printHookSecrets prints a channel with its secrets, which the service returns
// only once.
func printHookSecrets(out *output, err error, h registry.Hook) error {
	if err == nil && out.isTable() {
		for _, line := range [][2]string{{"url", h.URL}, {"secret", h.Secret}, {"channelToken", h.ChannelToken}} {
			if line[1] != "" {
				fmt.Fprintf(out, "%-13s %s\n", line[0], line[1])
			}
		}
		fmt.Fprint(out, "\nSecrets are not shown again.\n\n")
	}
	return printOne(out, err, hookRows, h)
}

func newHooksChangeCommand(sh shell) *cobra.Command {
	var rules ruleFlags
	var name string
	var test, paused, repeats bool
	var allow []string
	var given func(string) bool
	cmd := recordCommand(sh, &cobra.Command{
		Use: "change ID", Short: "Change the given settings of a channel", Args: namedArgs,
		Example: "  venuegate hooks change hook_... --test=false\n  venuegate hooks change hook_... --max-qty none",
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		var hook registry.Hook
		err := c.call(ctx, http.MethodGet, "/admin/v1/hooks/"+url.PathEscape(args[0]), nil, &hook)
		if err != nil {
			return err
		}
		rules.set(&hook.Rules, given)
		in := map[string]any{"rules": hook.Rules}
		for flag, member := range map[string]struct {
			name  string
			value any
		}{
			"name": {"name", name}, "test": {"testMode", test}, "pause": {"paused", paused},
			"allow-repeats": {"allowRepeats", repeats}, "allow": {"allow", allow},
		} {
			if given(flag) {
				in[member.name] = member.value
			}
		}
		changed, err := change[registry.Hook](ctx, c, "hooks", args[0], in)
		return printOne(out, err, hookRows, changed)
	})
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "display name of the channel")
	flags.BoolVar(&test, "test", false, "test mode")
	flags.BoolVar(&paused, "pause", false, "reject every signal")
	flags.BoolVar(&repeats, "allow-repeats", false, "chart: equal bodies within 30 s are separate signals")
	flags.StringSliceVar(&allow, "allow", nil, "addresses or prefixes that may send")
	rules.add(cmd)
	given = flags.Changed
	return requireChange(cmd)
}

func newHooksRotateCommand(sh shell) *cobra.Command {
	var overlap time.Duration
	var given func(string) bool
	cmd := secretCommand(sh, &cobra.Command{
		Use: "rotate ID", Short: "Give a channel a new secret, a chart a new token", Args: namedArgs,
	}, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		in := map[string]int{}
		if given("overlap") {
			in["overlapSec"] = int(overlap / time.Second)
		}
		rotated, err := act[registry.Hook](ctx, c, "hooks", args[0], "rotate", in)
		return printHookSecrets(out, err, rotated)
	})
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the previous secret stays valid, at most 24h")
	given = cmd.Flags().Changed
	return cmd
}

func hookRows(found ...registry.Hook) [][]string {
	rows := newTable(len(found), "ID", "CUSTOMER", "KIND", "NAME", "MODE", "SYMBOLS", "MAX QTY", "STOP", "OPPOSITE")
	for _, h := range found {
		mode := "live"
		switch {
		case !h.RemovedAt.IsZero():
			mode = "removed"
		case h.Paused:
			mode = "paused"
		case h.TestMode:
			mode = "test"
		}
		qty, stop := noLimit, ""
		if h.Rules.MaxQty != nil {
			qty = *h.Rules.MaxQty
		}
		if h.Rules.StopRequired {
			stop = "required"
		}
		rows = append(rows, []string{
			h.ID, h.Customer, string(h.Kind), h.Name, mode, strings.Join(h.Rules.Symbols, ","), qty, stop, string(h.Rules.Opposite),
		})
	}
	return rows
}
