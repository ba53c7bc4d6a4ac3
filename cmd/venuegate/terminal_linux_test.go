package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudo terminal of 100 columns and 30 lines.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 100, Row: 30}); err != nil {
		t.Fatal(err)
	}
	return person, program
}

// onTerminal starts a command line on a terminal and returns what it shows, which is complete
// once whole is closed. The process is killed at the end of the test.
func onTerminal(t *testing.T, environ []string, args ...string) (command *exec.Cmd, shown *lockedBuffer, whole chan struct{}) {
	t.Helper()
	person, program := openTerminal(t)
	command = exec.CommandContext(context.Background(), os.Args[0], args...) //nolint:gosec // the test binary runs itself
	command.Env = append(append(os.Environ(), "TERM=xterm", asBinary+"=1"), environ...)
	command.Stdin, command.Stdout, command.Stderr = program, program, program
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = program.Close() // the process has its own
	shown, whole = &lockedBuffer{}, make(chan struct{})
	go func() {
		defer close(whole)
		part := make([]byte, 4096)
		for {
			n, err := person.Read(part)
			_, _ = shown.Write(part[:n]) // it never fails
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_, _ = command.Process.Wait()
	})
	return command, shown, whole
}

// shownBy returns what a command that ends shows on a terminal.
func shownBy(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	command, shown, whole := onTerminal(t, environ, args...)
	state, err := command.Process.Wait()
	<-whole
	if err != nil || state.ExitCode() != exitOK {
		t.Fatalf("venuegate %s: %v, error %v\n%s", strings.Join(args, " "), state, err, shown.String())
	}
	return strings.ReplaceAll(shown.String(), "\r\n", "\n")
}

// TestTableOnATerminal checks that a terminal shows a table, in colour unless NO_COLOR is set.
func TestTableOnATerminal(t *testing.T) {
	s := startService(t, t.TempDir())
	whole := s.customer()
	coloured := shownBy(t, nil, "customers", "list", "--data", s.dir)
	if !strings.HasPrefix(coloured, ansiBold+"ID"+ansiReset) || !strings.Contains(coloured, ansiGreen+"enabled"+ansiReset) {
		t.Errorf("shown %q, want a bold head and the state in green", coloured)
	}
	plain := shownBy(t, []string{"NO_COLOR=1"}, "customers", "list", "--data", s.dir)
	if strings.Contains(plain, "\x1b") || !strings.HasPrefix(plain, "ID ") || strings.Contains(plain, whole) || !strings.Contains(plain, whole[:8]) {
		t.Errorf("shown %q with NO_COLOR, want a table with a short form of %s without colour", plain, whole)
	}
}

// TestWatchOnATerminal checks that watch draws topics live, survives a crash of the service,
// says so, and restores the screen at its end.
func TestWatchOnATerminal(t *testing.T) {
	s := startService(t, t.TempDir())
	command, shown, whole := onTerminal(t, nil, "watch", "--data", s.dir, "book:binance:BTCUSDT:5", "trades:binance:BTCUSDT", "orders")
	shows := func(what string) {
		t.Helper()
		eventually(t, what, func() bool { return strings.Contains(shown.String(), what) })
	}
	shows("spread ")
	order := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`)
	shows(order.text("orderId")[:10])
	s.kill()
	shows("the stream was interrupted")
	shows("not current; waiting for a snapshot")
	before := len(shown.String())
	startService(t, s.dir, "--listen", strings.TrimPrefix(s.demo.BaseURL, "http://"))
	eventually(t, "the book again", func() bool {
		again := shown.String()[before:]
		return strings.Contains(again, "connected"+ansiReset) && strings.Contains(again, "spread ")
	})
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	state, err := command.Process.Wait()
	if err != nil || state.ExitCode() != exitOK {
		t.Errorf("end = %v, error %v, want status %d", state, err, exitOK)
	}
	<-whole
	if !strings.HasSuffix(shown.String(), ansiCloseScreen) {
		t.Errorf("the end of what is shown is %q, want %q", shown.String()[max(0, len(shown.String())-40):], ansiCloseScreen)
	}
	if lines := shownBy(t, nil, "watch", "--data", s.dir, "--json", "--count", "2", "book:binance:BTCUSDT:5"); strings.Count(lines, `{"channel":"book:`) != 2 || strings.Contains(lines, "\x1b") {
		t.Errorf("--json shows %q, want two messages", lines)
	}
}

// TestProgressOnATerminal checks that a backup redraws one line, and ends with size, count and
// time; piped it ends with the same.
func TestProgressOnATerminal(t *testing.T) {
	s := startService(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "backup")
	ended := regexp.MustCompile(`backup: [0-9.]+ KB, [0-9]+ rows, [0-9.]+m?s`)
	if shown := shownBy(t, nil, "backup", file, "--data", s.dir); !regexp.MustCompile(`\r` + ended.String() + `\x1b\[K\n`).MatchString(shown) {
		t.Errorf("shown %q, want a line %s that replaces those before it", shown, ended)
	}
	status, out, errText := run(t.Context(), "backup", file, "--data", s.dir)
	if status != exitOK || !regexp.MustCompile("^"+ended.String()+"\n$").MatchString(errText) || strings.Contains(out, "rows") {
		t.Errorf("piped: status %d, output %q, notes %q, want a note %s", status, out, errText, ended)
	}
}
