package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// demoReadyMax bounds the start of the service, demoPoll is how often it is
	// looked at.
	demoReadyMax = 60 * time.Second
	demoPoll     = 50 * time.Millisecond
	// demoConnectionsMax bounds the clients.
	demoConnectionsMax = 2048
)

// demo is the whole service as a process of its own, with simulated venues.
type demo struct {
	command *exec.Cmd
	data    string
	// ended is closed when the process has, which is why then.
	ended chan struct{}
	why   error
	File  demoFile
}

// demoFile is what the scenarios read of demo.json.
type demoFile struct {
	BaseURL    string `json:"baseUrl"`
	WSURL      string `json:"wsUrl"`
	AdminURL   string `json:"adminUrl"`
	AdminToken string `json:"adminToken"`
	ReadKey    string `json:"readKey"`
}

// startDemo runs `venuegate serve --demo` on free ports, with its data within dir,
// and waits until it serves.
func startDemo(ctx context.Context, binary, dir string, flags ...string) (*demo, error) {
	d := &demo{data: filepath.Join(dir, "data"), ended: make(chan struct{})}
	flags = append([]string{"serve", "--demo", "--data", d.data, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-level", "warn"}, flags...)
	d.command = exec.CommandContext(context.WithoutCancel(ctx), binary, flags...)
	d.command.Stderr = os.Stderr
	// All clients come from one address.
	d.command.Env = append(os.Environ(), fmt.Sprint("VENUEGATE_LIMITS_CONNECTIONS_PER_SOURCE=", demoConnectionsMax))
	if err := d.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		d.why = d.command.Wait()
		close(d.ended)
	}()
	if err := d.await(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// await polls for the file that the demo writes when it serves.
func (d *demo) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoReadyMax)
	defer cancel()
	poll := time.NewTicker(demoPoll)
	defer poll.Stop()
	for {
		data, err := os.ReadFile(filepath.Join(d.data, "demo.json"))
		if err == nil {
			return json.Unmarshal(data, &d.File)
		}
		select {
		case <-d.ended:
			return errors.Join(errors.New("the demo has ended"), d.why)
		case <-ctx.Done():
			return fmt.Errorf("the demo does not serve: %w", ctx.Err())
		case <-poll.C:
		}
	}
}

// Close ends the process in order. How it ends is of no interest.
func (d *demo) Close() error {
	err := d.command.Process.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-d.ended
	return err
}
