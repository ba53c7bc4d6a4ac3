package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deployed returns the path of a file of the deployment.
func deployed(name string) string { return filepath.Join("deploy", name) }

// inspect runs a tool on files of the deployment. If it is not installed the test is
// skipped; make says so.
func inspect(t *testing.T, tool, debianPackage string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("!! %s is not installed (Debian: %s): this part of the deployment is NOT checked", tool, debianPackage)
	}
	command := exec.CommandContext(t.Context(), tool, args...)
	command.Dir = "deploy"
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", tool, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestAlertRules(t *testing.T) {
	inspect(t, "promtool", "prometheus", "check", "rules", "alerts.yaml")
	inspect(t, "promtool", "prometheus", "check", "config", "--syntax-only", "prometheus.yaml")
	inspect(t, "promtool", "prometheus", "test", "rules", "alerts_test.yaml")
}

func TestCaddyfile(t *testing.T) {
	inspect(t, "caddy", "caddy", "validate", "--adapter", "caddyfile", "--config", "Caddyfile")
}

func TestDashboardIsComplete(t *testing.T) {
	content, err := os.ReadFile(deployed("dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
			GridPos struct{ X, Y, W, H int }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.Title == "" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %+v, want an id of its own, a title, a query and a place", p)
		}
		ids[p.ID] = true
	}
	if len(ids) < 20 {
		t.Errorf("%d panels, want at least 20", len(ids))
	}
}

// The configuration of the deployment is valid, the addresses of channels begin with its
// public URL, and requests for its host are accepted.
func TestDeployedConfiguration(t *testing.T) {
	config, err := LoadConfig(Sources{File: deployed("venuegate.yaml")})
	if err != nil || config.PublicURL != "https://trade.example.com" || len(config.TrustedProxies) != 1 {
		t.Errorf("config = %+v, error %v, want the public URL and one proxy", config, err)
	}
	s := startService(t, t.TempDir(), "--config", writeFile(t, "publicUrl: https://trade.example.com\n"))
	if h := s.hook(`"rules":{}`); !strings.HasPrefix(h.URL, "https://trade.example.com/v1/hooks/in/") {
		t.Errorf("address of a channel = %s, want one at the public URL", h.URL)
	}
	for host, want := range map[string]int{"trade.example.com": http.StatusOK, "other.example.com": http.StatusMisdirectedRequest} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.demo.BaseURL+"/healthz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		if status, text := do(t, request); status != want {
			t.Errorf("request for %s = %d %s, want %d", host, status, text, want)
		}
	}
}

// The unit is parsed by systemd, and exposes little.
func TestUnit(t *testing.T) {
	out := inspect(t, "systemd-analyze", "systemd", "security", "--offline=true", "--threshold=20", "./venuegate.service")
	if !strings.Contains(out, "Overall exposure level for venuegate.service: 1.") {
		t.Errorf("exposure = %s, want below 2", out[max(0, len(out)-200):])
	}
}
