//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// logTailBytes is how much of each process's log is shown when a test fails.
const logTailBytes = 6 << 10

// process is a running program.
type process struct {
	name    string
	command *exec.Cmd
	log     string
	// ended is closed when the process has ended.
	ended chan struct{}
}

// launch starts a program, which is killed at the end of the test if it still runs.
func launch(t testing.TB, binary string, env []string, args ...string) *process {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	p := &process{name: filepath.Base(binary) + " " + args[0], log: log.Name(), ended: make(chan struct{})}
	// t.Context ends before the cleanup that kills the process.
	p.command = exec.CommandContext(context.Background(), binary, args...)
	p.command.Env = append(foreignEnviron(), env...)
	p.command.Stdout, p.command.Stderr = log, log
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // the tests check the status
	}()
	t.Cleanup(p.kill)
	return p
}

// foreignEnviron returns the environment without the service's variables.
func foreignEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "VENUEGATE_") })
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// frozen reports whether the process was stopped by SIGSTOP.
func (p *process) frozen() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	// The state follows the name, which is in brackets.
	_, state, named := strings.Cut(string(stat), ") ")
	return err == nil && named && strings.HasPrefix(state, "T")
}

// kill sends SIGKILL and waits until the process has ended.
func (p *process) kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
}

func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }

// awaitEnd waits for the end of the process and reports whether it came in time.
func (p *process) awaitEnd(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// stop sends SIGTERM and waits for a clean end.
func (p *process) stop(within time.Duration) error {
	p.signal(syscall.SIGTERM)
	if !p.awaitEnd(within) {
		return fmt.Errorf("%s still runs %s after SIGTERM\n%s", p.name, within, p.tail())
	}
	if status := p.command.ProcessState.ExitCode(); status != 0 {
		return fmt.Errorf("%s ended with status %d\n%s", p.name, status, p.tail())
	}
	return nil
}

// diedOf reports whether the ended process was killed by a signal.
func (p *process) diedOf(s syscall.Signal) bool {
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == s
}

// output returns the log so far.
func (p *process) output() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// tail returns the end of the log.
func (p *process) tail() string {
	text := p.output()
	if len(text) > logTailBytes {
		text = text[len(text)-logTailBytes:]
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	return text
}

// stacks ends a process that hangs and returns the stacks of its goroutines.
func (p *process) stacks() string {
	p.signal(syscall.SIGQUIT)
	p.awaitEnd(stopMax)
	return p.output()
}

// eventually waits for a condition.
func eventually(within time.Duration, is func() bool) bool {
	deadline := time.Now().Add(within)
	for {
		if is() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
}
