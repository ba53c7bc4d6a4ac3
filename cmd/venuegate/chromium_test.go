package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// browser is Chromium in a separate process.
type browser struct {
	command *exec.Cmd
	// dir is the directory of its profile.
	dir string
	out lockedBuffer
	// address is the host and port of the DevTools protocol, browserPath the path of the browser
	// itself there.
	address, browserPath string
}

// chromium runs until the last test has ended, once a test has opened a page.
var chromium browser

// newTarget opens an empty page and returns its path in the DevTools protocol. It has a context
// of its own, which ends with the test: pages share no cookies, storage or cache. newTarget
// skips the test if there is no browser.
func newTarget(t *testing.T) (path string) {
	t.Helper()
	if chromium.command == nil {
		chromium.start(t)
	}
	d := &devTools{t: t, conn: dialDevTools(t, chromium.browserPath)}
	context := d.call("Target.createBrowserContext", record{"disposeOnDetach": true}).text("browserContextId")
	target := d.call("Target.createTarget", record{"url": "about:blank", "browserContextId": context, "newWindow": true}).text("targetId")
	return "/devtools/page/" + target
}

func (b *browser) start(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("!! chromium is not installed (Debian: chromium): pages in a browser are NOT checked")
	}
	dir, err := os.MkdirTemp("", "chromium") //nolint:usetesting // it outlives the test
	if err != nil {
		t.Fatal(err)
	}
	b.dir = dir
	command := exec.CommandContext(context.Background(), "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--no-first-run", "--disable-dev-shm-usage", "--user-data-dir="+dir, "--remote-debugging-port=0")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Stdout, command.Stderr = &b.out, &b.out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	b.command = command
	eventually(t, "the port of the browser", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, path, found := strings.Cut(strings.TrimSpace(string(text)), "\n")
		b.address, b.browserPath = "127.0.0.1:"+port, path
		return err == nil && found
	})
}

// kill ends the browser and removes its profile.
func (b *browser) kill() {
	if b.command == nil {
		return
	}
	_ = syscall.Kill(-b.command.Process.Pid, syscall.SIGKILL) // with its children
	_ = b.command.Wait()
	_ = os.RemoveAll(b.dir)
}
