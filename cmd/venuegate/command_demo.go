package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

const (
	// demoStopMax bounds how long demo stop waits for the end of the process.
	demoStopMax = drainMax + 20*time.Second
	// demoStopPoll is the interval at which it checks.
	demoStopPoll = 20 * time.Millisecond
)

func newDemoCommand(sh shell) *cobra.Command {
	return newGroup("demo", "Use and stop the demo that runs on a data directory", newDemoEnvCommand(sh), newDemoStopCommand(sh))
}

func newDemoEnvCommand(sh shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "env", Short: "Print the demo's keys and addresses as shell variables", Args: namedArgs,
		Long: `Prints export lines with the keys, addresses and secrets of the running demo:

  BASE_URL, WS_URL         the API and its stream
  KEY, READ_KEY            API keys with all scopes, and with read alone
  HOOK, SECRET             the channel of signed signals
  CHART, CHANNEL_TOKEN     the channel of a charting platform
  ADMIN_URL, ADMIN_TOKEN   administration`,
		Example: "  eval \"$(venuegate demo env)\"\n  curl -sS $BASE_URL/v1/orders -H \"Authorization: Bearer $KEY\"",
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			if _, err := demoProcess(config.Data); err != nil {
				return err
			}
			d, err := readDemoFile(config.Data)
			if err != nil {
				return errors.New("the demo is not ready yet")
			}
			printEnv(cmd.OutOrStdout(), d)
			return nil
		},
	}
	configFlags(cmd, "data")
	return cmd
}

func printEnv(out io.Writer, d DemoFile) {
	for _, v := range [][2]string{
		{"BASE_URL", d.BaseURL},
		{"WS_URL", d.WSURL},
		{"KEY", d.APIKey},
		{"READ_KEY", d.ReadKey},
		{"HOOK", d.Hook.URL},
		{"SECRET", d.Hook.Secret},
		{"CHART", d.Chart.URL},
		{"CHANNEL_TOKEN", d.Chart.ChannelToken},
		{"ADMIN_URL", d.AdminURL},
		{"ADMIN_TOKEN", d.AdminToken},
	} {
		fmt.Fprintf(out, "export %s='%s'\n", v[0], strings.ReplaceAll(v[1], "'", `'\''`))
	}
}

func newDemoStopCommand(sh shell) *cobra.Command {
	var kill bool
	cmd := &cobra.Command{
		Use: "stop", Short: "Stop the demo and wait until it has ended", Args: namedArgs,
		Long: `Stops the demo that runs on the data directory, and returns when it has ended. With
--kill the process is killed as in a crash, in the middle of what it does.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			signal := syscall.SIGTERM
			if kill {
				signal = syscall.SIGKILL
			}
			return stopDemo(cmd.Context(), config.Data, signal)
		},
	}
	configFlags(cmd, "data")
	cmd.Flags().BoolVar(&kill, "kill", false, "kill the process as in a crash")
	return cmd
}

// stopDemo signals the demo that runs on a data directory and waits until it has ended.
func stopDemo(ctx context.Context, dir string, signal syscall.Signal) error {
	pid, err := demoProcess(dir)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, signal); err != nil {
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, demoStopMax)
	defer cancel()
	ticker := time.NewTicker(demoStopPoll)
	defer ticker.Stop()
	for {
		now, err := demoProcess(dir)
		if errors.Is(err, errNoDemo) || err == nil && now != pid {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d has not ended: %w", pid, ctx.Err())
		case <-ticker.C:
		}
	}
}
