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

// The pages whose examples the tests run.
var (
	readme        = filepath.Join("..", "..", "README.md")
	signingReadme = filepath.Join("..", "..", "transport", "signing", "README.md")
)

// indentedBlock returns the code block that follows a line of a page.
func indentedBlock(t *testing.T, page, line string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), line+"\n\n")
	if !found {
		t.Fatalf("%s lacks the line %q", page, line)
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

// TestDocumentedSignals sends the signals of README.md and of
// transport/signing/README.md as they are written there.
func TestDocumentedSignals(t *testing.T) {
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
			command := exec.CommandContext(t.Context(), program[0], append(program[1:], indentedBlock(t, signingReadme, line))...)
			command.Env = append(os.Environ(), "HOOK="+s.demo.Hook.URL, "SECRET="+s.demo.Hook.Secret)
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), `"accepted":true`) {
				t.Errorf("%s: error %v, output %s; want an accepted signal", program[0], err, out)
			}
		})
	}
	alert := strings.NewReplacer(
		"{{ticker}}", "BTCUSDT.P", "{{strategy.order.action}}", "buy", "{{strategy.order.contracts}}", "0.01",
		"{{timenow}}", time.Now().UTC().Format(time.RFC3339), "TOKEN", s.demo.Chart.ChannelToken,
	).Replace(indentedBlock(t, readme, "and secrets under `hook` and `chart`. The text of a charting alert:"))
	if status, answer := s.deliver(s.demo.Chart.URL, alert, "Content-Type", "text/plain; charset=utf-8"); status != http.StatusAccepted {
		t.Errorf("charting alert: status = %d, want %d: %v", status, http.StatusAccepted, answer)
	}
}

// TestPrintedSignalIsAccepted pastes the command that the demo prints into a
// shell.
func TestPrintedSignalIsAccepted(t *testing.T) {
	for _, program := range []string{"bash", "openssl", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	s := startService(t, t.TempDir())
	_, printed, _ := strings.Cut(s.out.String(), "# send a signal\n")
	script, _, found := strings.Cut(printed, "\n\n")
	if !found {
		t.Fatalf("printed %s, want a command under \"# send a signal\"", s.out.String())
	}
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"accepted":true`) {
		t.Errorf("error %v, output %s; want an accepted signal", err, out)
	}
	eventually(t, "its order", func() bool {
		orders := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all", "").items()
		return len(orders) == 1 && orders[0].text("status") == "filled"
	})
}

// TestDocumentedVerification runs the function of transport/signing/README.md
// against valid, forged and stale signatures.
func TestDocumentedVerification(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := signed{body: `{"id":"evt_1"}`, secret: "whsec_x", at: time.Now()}
	header := http.Header{}
	h.sign(header)
	stale := signed{body: h.body, secret: h.secret, at: time.Now().Add(-301 * time.Second)}
	staleHeader := http.Header{}
	stale.sign(staleHeader)
	script := indentedBlock(t, signingReadme, "already processed, because a delivery may be repeated:")
	for _, c := range []struct {
		header       http.Header
		secret, body string
	}{{header, h.secret, h.body}, {header, "whsec_y", h.body}, {header, h.secret, h.body + " "}, {staleHeader, h.secret, h.body}} {
		script += fmt.Sprintf("print(verify(%q, {'X-Service-Timestamp': %q, 'X-Service-Signature': %q}, b'%s'))\n",
			c.secret, c.header.Get("X-Service-Timestamp"), c.header.Get("X-Service-Signature"), c.body)
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-c", script).CombinedOutput()
	if got := strings.Fields(string(out)); err != nil || strings.Join(got, " ") != "True False False False" {
		t.Errorf("error %v, verified %q, want True False False False", err, got)
	}
}
