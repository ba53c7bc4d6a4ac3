package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// readmeBlock is the indented text behind a line of the README.
func readmeBlock(t *testing.T, line string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), line+"\n\n")
	if !found {
		t.Fatalf("the README has no line %q", line)
	}
	var block strings.Builder
	for each := range strings.Lines(rest) {
		code, indented := strings.CutPrefix(each, "    ")
		if !indented {
			break
		}
		block.WriteString(code)
	}
	return block.String()
}

// TestReadmeSignals runs what the README says, as it stands there.
func TestReadmeSignals(t *testing.T) {
	s := startService(t, t.TempDir())
	for line, program := range map[string][]string{
		"Shell:":      {"bash", "-euo", "pipefail", "-c"},
		"Python:":     {"python3", "-c"},
		"JavaScript:": {"node", "-e"},
	} {
		t.Run(strings.TrimSuffix(line, ":"), func(t *testing.T) {
			if _, err := exec.LookPath(program[0]); err != nil {
				t.Skipf("%s is not installed", program[0])
			}
			command := exec.CommandContext(t.Context(), program[0], append(program[1:], readmeBlock(t, line))...)
			command.Env = append(os.Environ(), "HOOK="+s.demo.Hook.URL, "SECRET="+s.demo.Hook.Secret)
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), `"accepted":true`) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	alert := strings.NewReplacer(
		"{{ticker}}", "BTCUSDT.P", "{{strategy.order.action}}", "buy", "{{strategy.order.contracts}}", "0.01",
		"{{timenow}}", time.Now().UTC().Format(time.RFC3339), "TOKEN", s.demo.Chart.ChannelToken,
	).Replace(readmeBlock(t, "Text of a charting alert, whose webhook is the address of `chart`:"))
	if status, answer := s.deliver(s.demo.Chart.URL, alert, "Content-Type", "text/plain; charset=utf-8"); status != http.StatusAccepted {
		t.Errorf("the alert: %d %v", status, answer)
	}
}

// TestPrintedSignalIsTaken: the command that the demo prints works as it is
// pasted.
func TestPrintedSignalIsTaken(t *testing.T) {
	for _, program := range []string{"bash", "openssl", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	s := startService(t, t.TempDir())
	_, printed, _ := strings.Cut(s.out.String(), "# send a signal\n")
	script, _, found := strings.Cut(printed, "\n\n")
	if !found {
		t.Fatalf("printed %s", s.out.String())
	}
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"accepted":true`) {
		t.Errorf("%v: %s", err, out)
	}
	eventually(t, "its order", func() bool {
		orders := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all", "").items()
		return len(orders) == 1 && orders[0].text("status") == "filled"
	})
}

// TestReadmeVerifiesEvents with the function of the README.
func TestReadmeVerifiesEvents(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := signed{body: `{"id":"evt_1"}`, secret: "whsec_x", at: time.Now()}
	header := http.Header{}
	h.sign(header)
	stale := signed{body: h.body, secret: h.secret, at: time.Now().Add(-301 * time.Second)}
	staleHeader := http.Header{}
	stale.sign(staleHeader)
	script := readmeBlock(t, "discard ids that you have seen:")
	for _, c := range []struct {
		header       http.Header
		secret, body string
	}{{header, h.secret, h.body}, {header, "whsec_y", h.body}, {header, h.secret, h.body + " "}, {staleHeader, h.secret, h.body}} {
		script += fmt.Sprintf("print(verify(%q, {'X-Service-Timestamp': %q, 'X-Service-Signature': %q}, b'%s'))\n",
			c.secret, c.header.Get("X-Service-Timestamp"), c.header.Get("X-Service-Signature"), c.body)
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-c", script).CombinedOutput()
	if got := strings.Fields(string(out)); err != nil || strings.Join(got, " ") != "True False False False" {
		t.Errorf("%v: %s", err, out)
	}
}
