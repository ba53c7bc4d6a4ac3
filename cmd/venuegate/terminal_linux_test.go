package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

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

// onTerminal starts a command line on a terminal and returns what it shows. The process is
// killed at the end of the test.
func onTerminal(t *testing.T, environ []string, args ...string) (command *exec.Cmd, shown *lockedBuffer) {
	t.Helper()
	person, program := openTerminal(t)
	command = exec.CommandContext(context.Background(), os.Args[0], args...) //nolint:gosec // the test binary runs itself
	command.Env = append(append(os.Environ(), "TERM=xterm", asBinary+"=1"), environ...)
	command.Stdin, command.Stdout, command.Stderr = program, program, program
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = program.Close() // the process has its own
	shown = &lockedBuffer{}
	go func() {
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
	return command, shown
}

// shownBy returns what a command that ends shows on a terminal.
func shownBy(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	command, shown := onTerminal(t, environ, args...)
	state, err := command.Process.Wait()
	if err != nil || state.ExitCode() != exitOK {
		time.Sleep(100 * time.Millisecond) // the rest of the output, for the message alone
		t.Fatalf("venuegate %s: %v, error %v\n%s", strings.Join(args, " "), state, err, shown.String())
	}
	eventually(t, "the output", func() bool { return strings.HasSuffix(shown.String(), "\n") })
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
