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
	// demoReadyMax bounds the start of the service, demoPoll is the interval of the
	// checks.
	demoReadyMax = 60 * time.Second
	demoPoll     = 50 * time.Millisecond
	// demoConnectionsMax bounds the clients.
	demoConnectionsMax = 2048
)

// demo is the whole service in a separate process, with simulated venues.
type demo struct {
	command *exec.Cmd
	data    string
	// ended is closed when the process has ended; why is then its error.
	ended chan struct{}
	why   error
	File  demoFile
}

// demoFile is the part of demo.json that the scenarios read.
type demoFile struct {
	BaseURL    string `json:"baseUrl"`
	WSURL      string `json:"wsUrl"`
	AdminURL   string `json:"adminUrl"`
	AdminToken string `json:"adminToken"`
	ReadKey    string `json:"readKey"`
	Console    struct {
		URL      string `json:"url"`
		User     string `json:"user"`
		Password string `json:"password"`
	} `json:"console"`
	Hook struct {
		URL    string `json:"url"`
		Secret string `json:"secret"`
	} `json:"hook"`
}

// startDemo runs `venuegate serve --demo` on free ports, with its data in dir, and
// waits until it is ready.
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

// await polls for the file that the demo writes when it is ready.
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
			return fmt.Errorf("the demo is not ready: %w", ctx.Err())
		case <-poll.C:
		}
	}
}

// Close stops the process with a signal and ignores its exit status.
func (d *demo) Close() error {
	err := d.command.Process.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-d.ended
	return err
}
