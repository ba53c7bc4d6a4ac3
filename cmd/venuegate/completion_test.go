package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCompletion completes values as the script of a shell does.
func TestCompletion(t *testing.T) {
	s := sharedService(t)
	customer, hook, endpoint := s.customer(), s.demo.Hook.ID, s.demo.Receiver.ID
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"hooks", "show", ""}, []string{hook + "\tdemo", s.demo.Chart.ID + "\tdemo charts"}},
		{[]string{"hooks", "show", hook, ""}, nil},
		{[]string{"accounts", "halt", ""}, []string{customer + ":binance\n", customer + ":bybit\n", customer + ":okx\n"}},
		{[]string{"keys", "list", "--customer", ""}, []string{customer + "\tdemo"}},
		{[]string{"journal", "list", "--channel", ""}, []string{hook, endpoint}},
		{[]string{"keys", "create", "--scopes", "read,t"}, []string{"read,trade\n"}},
		{[]string{"endpoints", "create", "--types", ""}, []string{"order.filled\n"}},
		{[]string{"hooks", "create", "--opposite", ""}, []string{"reverse\n"}},
		{[]string{"export", "orders", "--exchange", ""}, []string{"okx\n"}},
		{[]string{"bench", "floo"}, []string{"floods\n"}},
	} {
		args := []string{"__complete"}
		if !strings.HasPrefix(c.args[0], "bench") && c.args[0] != "export" {
			args = append(args, c.args[0], c.args[1], "--data", s.dir)
			args = append(args, c.args[2:]...)
		} else {
			args = append(args, c.args...)
		}
		status, out, errText := run(t.Context(), args...)
		if status != exitOK || c.want == nil && !strings.HasPrefix(out, ":") {
			t.Errorf("%q: status %d, %s%s, want %d with %q", c.args, status, out, errText, exitOK, c.want)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q completes to\n%s\nwant %q in it", c.args, out, want)
			}
		}
	}
}

// TestCompletionScript checks that bash can read the script, and that the command is listed.
func TestCompletionScript(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	status, script, _ := run(t.Context(), "completion", "bash")
	command := exec.CommandContext(t.Context(), "bash", "-n")
	command.Stdin = strings.NewReader(script)
	if out, err := command.CombinedOutput(); status != exitOK || err != nil || !strings.Contains(script, "__complete") {
		t.Errorf("completion bash: status %d, error %v, %s, want a script", status, err, out)
	}
	if _, help, _ := run(t.Context(), "--help"); !strings.Contains(help, "\n  completion ") {
		t.Errorf("help\n%s\nwant the command completion", help)
	}
	if _, _, errText := run(t.Context(), "completion", "bsh"); !strings.Contains(errText, "did you mean `bash`?") {
		t.Errorf("completion bsh: %s, want the nearest shell", errText)
	}
}
