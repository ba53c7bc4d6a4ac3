//go:build interop

package generated_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	startLimit   = 30 * time.Second
	commandLimit = 5 * time.Minute
)

// Generated clients compile and trade.
func TestGeneratedClients(t *testing.T) {
	command(t, "typescript", nil, "npm", "ci", "--prefer-offline")
	env := startService(t)
	t.Run("go", func(t *testing.T) {
		document, err := filepath.Abs("../openapi.yaml")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("golang")); err != nil {
			t.Fatal(err)
		}
		command(t, dir, nil, "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", document)
		command(t, dir, env, "go", "run", ".")
	})
	t.Run("types of the Go client", func(t *testing.T) {
		const client = "../../clients/go"
		document, err := filepath.Abs("../openapi.yaml")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := errors.Join(os.CopyFS(dir, os.DirFS("golang")), os.Remove(filepath.Join(dir, "oapi-codegen.yaml")), os.CopyFS(dir, os.DirFS(client))); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(client, "types.gen.go"))
		if err != nil {
			t.Fatal(err)
		}
		command(t, dir, nil, "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", document)
		if got, err := os.ReadFile(filepath.Join(dir, "types.gen.go")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("types.gen.go: %d bytes generated, %v, want the %d bytes kept; run go generate in %s", len(got), err, len(want), client)
		}
	})
	t.Run("typescript", func(t *testing.T) {
		command(t, "typescript", nil, "npx", "--no-install", "openapi-typescript", "../../openapi.yaml", "-o", "api.gen.d.ts")
		command(t, "typescript", nil, "npx", "--no-install", "tsc", "-p", ".")
		command(t, "typescript", env, "node", "build/calls.js")
	})
	t.Run("administration", func(t *testing.T) {
		document, err := filepath.Abs("../../admin/openapi.yaml")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("golang")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		command(t, dir, nil, "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", document)
		command(t, dir, nil, "go", "vet", ".")
		command(t, "typescript", nil, "npx", "--no-install", "openapi-typescript", document, "-o", filepath.Join(dir, "admin.gen.d.ts"))
		command(t, "typescript", nil, "npx", "--no-install", "tsc", "--noEmit", filepath.Join(dir, "admin.gen.d.ts"))
	})
	t.Run("asyncapi", func(t *testing.T) {
		command(t, "typescript", nil, "node", "asyncapi.js", "../../asyncapi.yaml")
	})
}

// command runs a command in a folder and fails the test if it fails.
func command(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), env...), time.Second
	timer := time.AfterFunc(commandLimit, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v, want success\n%s", name, strings.Join(args, " "), err, output)
	}
}

// startService runs the service on simulated venues for the length of the test, and
// returns its address and a key as environment variables.
func startService(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "venuegate")
	command(t, ".", nil, "go", "build", "-o", binary, "venuegate/cmd/venuegate")
	data := filepath.Join(dir, "data")
	cmd := exec.Command(binary, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-level", "error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("service: %v, want it to end by itself", err)
		}
	})
	var demo struct {
		BaseURL string `json:"baseUrl"`
		APIKey  string `json:"apiKey"`
	}
	for deadline := time.Now().Add(startLimit); ; <-time.After(20 * time.Millisecond) {
		if content, err := os.ReadFile(filepath.Join(data, "demo.json")); err == nil && json.Unmarshal(content, &demo) == nil {
			return []string{"BASE_URL=" + demo.BaseURL, "API_KEY=" + demo.APIKey}
		}
		if time.Now().After(deadline) {
			t.Fatalf("timeout after %s, want the service running", startLimit)
		}
	}
}
