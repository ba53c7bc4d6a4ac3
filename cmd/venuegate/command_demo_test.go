package main

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// TestDemoEnv evaluates the printed variables in a shell.
func TestDemoEnv(t *testing.T) {
	s := startService(t, t.TempDir())
	status, out, errText := run(t.Context(), "demo", "env", "--data", s.dir)
	if status != exitOK {
		t.Fatalf("status %d, want %d: %s", status, exitOK, errText)
	}
	script := out + `printf '%s\n' "$KEY" "$READ_KEY" "$BASE_URL" "$WS_URL" "$HOOK" "$SECRET" "$CHART" "$CHANNEL_TOKEN" "$ADMIN_URL" "$ADMIN_TOKEN"`
	got, err := exec.CommandContext(t.Context(), "sh", "-euc", script).Output()
	d := s.demo
	want := strings.Join([]string{
		d.APIKey, d.ReadKey, d.BaseURL, d.WSURL, d.Hook.URL, d.Hook.Secret, d.Chart.URL, d.Chart.ChannelToken, d.AdminURL, d.AdminToken,
	}, "\n") + "\n"
	if err != nil || string(got) != want {
		t.Errorf("variables = %s, error %v, want %s", got, err, want)
	}
}

// TestDemoStop kills a demo by its data directory, as README.md does, and stops the next one.
func TestDemoStop(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
	}{{[]string{"--kill"}, -1}, {nil, exitOK}} {
		s := startService(t, dir)
		s.trade(http.StatusOK, http.MethodGet, "/v1/orders", "")
		if status, _, errText := run(t.Context(), append([]string{"demo", "stop", "--data", dir}, c.args...)...); status != exitOK {
			t.Fatalf("demo stop %q: status %d, want %d: %s", c.args, status, exitOK, errText)
		}
		if status := s.exit(); status != c.status {
			t.Errorf("demo stop %q: status of the demo = %d, want %d", c.args, status, c.status)
		}
		for _, command := range [][]string{{"demo", "stop"}, {"demo", "env"}, {"customers", "list"}, {"export", "orders"}, {"watch", "orders"}} {
			if status, _, errText := run(t.Context(), append(command, "--data", dir)...); status != exitFailed || !strings.Contains(errText, "no demo runs on the data directory "+dir) {
				t.Errorf("%s of an ended demo: status %d, %s, want %d", command, status, errText, exitFailed)
			}
		}
	}
}

// TestDemoStopEndsDemosOnly runs another service on the directory of a demo that has ended,
// which its description outlives.
func TestDemoStopEndsDemosOnly(t *testing.T) {
	s := startService(t, t.TempDir())
	if status, _, errText := run(t.Context(), "demo", "stop", "--data", s.dir); status != exitOK {
		t.Fatalf("demo stop: status %d, want %d: %s", status, exitOK, errText)
	}
	other := start(t, "serve", "--data", s.dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	eventually(t, "the service that is not a demo", func() bool {
		if !other.running() {
			t.Fatalf("it ended:\n%s", other.out.String())
		}
		return strings.Contains(other.out.String(), "serving")
	})
	for _, args := range [][]string{{"stop"}, {"stop", "--kill"}, {"env"}} {
		status, _, errText := run(t.Context(), append(append([]string{"demo"}, args...), "--data", s.dir)...)
		if want := "no demo runs on the data directory " + s.dir; status != exitFailed || !strings.Contains(errText, want) {
			t.Errorf("demo %q: status %d, %s, want %d with %q", args, status, errText, exitFailed, want)
		}
	}
	if !other.running() {
		t.Errorf("the service has ended, want it to run:\n%s", other.out.String())
	}
}
