package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK = 0
	// exitFailed is returned when a command has started and failed.
	exitFailed = 1
	// exitUsage is returned when the command line or the configuration is
	// invalid; nothing was tried.
	exitUsage = 2
)

// shell holds the streams and the environment of a command.
type shell struct {
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Environ []string
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, args []string, sh shell) int {
	started := false
	root := newRootCommand(sh)
	noteStart(root, &started)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(sh.Err, "venuegate: %s\n", redact(err.Error()))
	if _, misconfigured := errors.AsType[*ConfigError](err); misconfigured {
		return exitUsage
	}
	if !started {
		fmt.Fprintf(sh.Err, "try '%s --help'\n", command.CommandPath())
		return exitUsage
	}
	return exitFailed
}

// noteStart sets started once a command runs. Errors before that are errors of
// the command line.
func noteStart(cmd *cobra.Command, started *bool) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*started = true
			return run(cmd, args)
		}
	}
	for _, child := range cmd.Commands() {
		noteStart(child, started)
	}
}

func newRootCommand(sh shell) *cobra.Command {
	root := &cobra.Command{
		Use:           "venuegate",
		Short:         "One trading API over several derivatives venues",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
		Args:          noSubcommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(sh.In)
	root.SetOut(sh.Out)
	root.SetErr(sh.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(versionText())
	root.AddCommand(
		newServeCommand(sh), newInitCommand(), newDemoCommand(sh), newSimCommand(), newWatchCommand(sh), newExportCommand(sh), newDoctorCommand(sh),
		newCustomersCommand(sh), newKeysCommand(sh), newAccountsCommand(sh),
		newHooksCommand(sh), newEndpointsCommand(sh), newAlertsCommand(sh), newConsoleCommand(sh), newJournalCommand(sh), newRotateKeyCommand(sh),
		newBackupCommand(sh), newRestoreCommand(sh), newBenchCommand(), newLoadCommand(sh), newVersionCommand(),
	)
	addCompletion(root)
	completeIDsOf(sh, root)
	return root
}

// configFlags adds --config to a command, and of the flags that set keys of the
// configuration those that are named.
func configFlags(cmd *cobra.Command, names ...string) {
	flags := cmd.Flags()
	flags.String("config", "", "configuration `FILE` (YAML)")
	defaults := DefaultConfig()
	for _, name := range names {
		switch name {
		case "data":
			flags.String(name, defaults.Data, "data directory `DIR`")
		case "listen":
			flags.String(name, defaults.Listen, "public listener, `ADDR`")
		case "admin-listen":
			flags.String(name, defaults.AdminListen, "administration listener, loopback `ADDR`")
		case "demo":
			flags.Bool(name, false, "serve simulated venues, with a customer and keys for them")
		case "sim":
			flags.String(name, "", "demo with the venues described in `FILE`, written by venuegate sim --out")
		case "behind-proxy":
			flags.Bool(name, false, "a proxy terminates TLS")
		case "log-format":
			flags.String(name, defaults.Log.Format, "json, or console for people")
			completeFlag(cmd, name, []string{logJSON, logConsole})
		case "log-level":
			flags.String(name, defaults.Log.Level, "debug, info, warn or error")
			completeFlag(cmd, name, []string{"debug", "info", "warn", "error"})
		}
	}
}

// flagKeys maps flags to keys of the configuration.
var flagKeys = map[string]string{
	"data": "data", "listen": "listen", "admin-listen": "adminListen", "demo": "demo", "sim": "sim",
	"behind-proxy": "behindProxy", "log-format": "log.format", "log-level": "log.level",
}

// loadConfig reads the configuration for a command with configFlags.
func loadConfig(cmd *cobra.Command, sh shell) (Config, error) {
	file, err := cmd.Flags().GetString("config")
	if err != nil {
		return Config{}, err
	}
	return LoadConfig(Sources{File: file, Environ: sh.Environ, Flags: cmd.Flags(), FlagKeys: flagKeys})
}

// newGroup returns a command that only has subcommands.
func newGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use: use, Short: short, Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(commands...)
	return group
}
