package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"venuegate/transport/registry"
)

// signalMax bounds a signal.
const signalMax = 64 << 10

func newHooksTestCommand(sh shell) *cobra.Command {
	return signalCommandOf(sh, &cobra.Command{
		Use: "test ID", Short: "Show what a signal would do, and do nothing", Args: namedArgs,
		Long: `Shows the result of every rule and the plan of a signal, as if the channel had
received it from its sender. Nothing is sent or stored; "hooks fire" carries it out.
Rules of the account are checked against its present position and margin, also for a
step after a close.`,
		Example: `  venuegate hooks test hook_... --signal '{"action":"order","exchange":"okx","symbol":"BTCUSDT","side":"buy","qty":"0.01"}'`,
	}, func(ctx context.Context, c *adminClient, id string, signal jsontext.Value, out *output) error {
		test, err := act[registry.SignalTest](ctx, c, "hooks", id, "test", signal)
		if err == nil && out.isTable() {
			return printSignalTest(out, test)
		}
		return printOne(out, err, verdictRows, test)
	})
}

func newHooksFireCommand(sh shell) *cobra.Command {
	return signalCommandOf(sh, &cobra.Command{
		Use: "fire ID", Short: "Carry out a signal as if the channel had received it", Args: namedArgs,
		Long: `Carries out a signal as if the channel had received it from its sender. Unless the
channel is in test mode, orders are real. A signal without a requestId is given one. If
the outcome is not known the error names it: repeat the signal with it, and nothing is
done twice.`,
		Example: `  venuegate hooks fire hook_... --signal '{"action":"order","exchange":"okx","symbol":"BTCUSDT","side":"buy","qty":"0.01"}'`,
	}, func(ctx context.Context, c *adminClient, id string, signal jsontext.Value, out *output) error {
		signal, requestID := identified(signal)
		answer, err := act[signalAnswer](ctx, c, "hooks", id, "fire", signal)
		if err != nil && requestID != "" && mayBeDone(err) {
			err = fmt.Errorf("%w\n  the outcome is not known; repeat with \"requestId\":%q", err, requestID)
		}
		return printOne(out, err, answerRows, answer)
	})
}

// identified returns a signal that has a requestId, and that. What is not a signal is returned
// as it is, without one: the service rejects it.
func identified(signal jsontext.Value) (_ jsontext.Value, requestID string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(signal, &members) != nil || members == nil {
		return signal, ""
	}
	if given, is := members["requestId"]; is {
		_ = json.Unmarshal(given, &requestID) // the service rejects other values
		return signal, requestID
	}
	requestID = rand.Text()
	text, separator := fmt.Sprintf(`{"requestId":%q`, requestID), ","
	if len(members) == 0 {
		separator = ""
	}
	return append([]byte(text+separator), signal[1:]...), requestID
}

// signalAnswer is the response to a signal.
type signalAnswer struct {
	Accepted  bool    `json:"accepted"`
	Duplicate bool    `json:"duplicate"`
	RequestID string  `json:"requestId"`
	OrderID   *string `json:"orderId"`
	Status    string  `json:"status"`
	FilledQty string  `json:"filledQty"`
	AvgPrice  *string `json:"avgPrice"`
}

func answerRows(answers ...signalAnswer) [][]string {
	rows := newTable(len(answers), "ORDER", "STATUS", "FILLED QTY", "AVG PRICE", "REQUEST ID", "DUPLICATE")
	text := func(value *string) string {
		if value == nil {
			return ""
		}
		return *value
	}
	for _, a := range answers {
		rows = append(rows, []string{text(a.OrderID), a.Status, a.FilledQty, text(a.AvgPrice), a.RequestID, strconv.FormatBool(a.Duplicate)})
	}
	return rows
}

// signalCommandOf completes a command that sends a signal to a channel.
func signalCommandOf(
	sh shell, cmd *cobra.Command, run func(ctx context.Context, c *adminClient, id string, signal jsontext.Value, out *output) error,
) *cobra.Command {
	var signal string
	recordCommand(sh, cmd, func(ctx context.Context, c *adminClient, args []string, out *output) error {
		in := io.Reader(strings.NewReader(signal))
		if signal == "-" {
			in = sh.In
		}
		text, err := readSignal(in)
		if err != nil {
			return err
		}
		return run(ctx, c, args[0], text, out)
	})
	cmd.Flags().StringVar(&signal, "signal", "-", "`JSON` of the signal; - reads standard input")
	return cmd
}

func readSignal(in io.Reader) (jsontext.Value, error) {
	text, err := io.ReadAll(io.LimitReader(in, signalMax+1))
	if err != nil {
		return nil, fmt.Errorf("read the signal: %w", err)
	}
	if len(text) > signalMax {
		return nil, fmt.Errorf("the signal is larger than %d KB", signalMax>>10)
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil, errors.New("the signal is empty: set --signal or write it to standard input")
	}
	return text, nil
}

// printSignalTest prints the results of the rules, the plan and the result, for people.
func printSignalTest(out *output, test registry.SignalTest) error {
	if err := out.printTable(verdictRows(test)); err != nil {
		return err
	}
	plan := newTable(len(test.Plan), "STEP", "EXCHANGE", "SYMBOL", "SIDE", "TYPE", "QTY", "PRICE", "STOP LOSS", "TAKE PROFIT", "RESULT")
	for _, s := range test.Plan {
		result := "ok"
		if s.Error != nil {
			result = "failed: " + s.Error.Message
		}
		plan = append(plan, []string{
			s.Step, string(s.Exchange), s.Symbol, string(s.Side), string(s.Type), s.Qty,
			s.Price, s.StopLoss, s.TakeProfit, result,
		})
	}
	if len(test.Plan) > 0 {
		fmt.Fprintln(out)
		if err := out.printTable(plan); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nThe signal would end as %s. Nothing was sent.\n", test.Status)
	if test.Error != nil {
		fmt.Fprintf(out, "It would be rejected with %s: %s\n", test.Error.Code, test.Error.Message)
	}
	if test.Duplicate {
		fmt.Fprintln(out, "Its requestId was used before: sent again it would do nothing.")
	}
	if test.TestMode {
		fmt.Fprintln(out, "The channel is in test mode: it sends nothing until that is switched off.")
	}
	return nil
}

// verdictRows has the results of the rules of the channel and of the account.
func verdictRows(tests ...registry.SignalTest) [][]string {
	rows := newTable(len(tests), "RULE", "OF", "LIMIT", "GIVEN", "RESULT")
	add := func(of string, results []registry.RuleResult) {
		for _, r := range results {
			result := "ok"
			if !r.Passed {
				result = "failed: " + r.Message
			}
			rows = append(rows, []string{r.Rule, of, r.Limit, r.Given, result})
		}
	}
	for _, t := range tests {
		add("channel", t.Rules)
		for _, s := range t.Plan {
			add("account, "+s.Step, s.Rules)
		}
	}
	return rows
}
