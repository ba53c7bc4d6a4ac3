package main

import (
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	yamlv3 "go.yaml.in/yaml/v3"
)

func newServeCommand(sh shell) *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the service", Args: namedArgs,
		Long: `Runs the service until SIGTERM or SIGINT, which stop accepting connections, let
requests in progress end (at most 10 s), flush and close. A second signal ends the
process immediately. No way of ending it loses an acknowledged request.

Configuration is a YAML file, then VENUEGATE_* variables, then flags. An unknown
key or an invalid value is reported and ends the command with status 2.

The heap may grow to three times the live heap before it is collected, which keeps
collections rare while orders are placed; GOGC overrides this, GOMEMLIMIT bounds it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			if printOnly {
				return config.Print(cmd.OutOrStdout())
			}
			log, err := newLogger(config.Log, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			tuneCollector(sh.Environ)
			app, err := OpenApp(cmd.Context(), config, log, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			return app.Run(cmd.Context())
		},
	}
	configFlags(cmd, "data", "listen", "admin-listen", "demo", "sim", "behind-proxy", "log-format", "log-level")
	cmd.Flags().BoolVar(&printOnly, "print-config", false, "print the configuration, with secrets redacted, and exit")
	return cmd
}

// Print writes the configuration as YAML that LoadConfig reads. Secrets must be of
// type venues.Secret, which prints redacted.
func (c *Config) Print(w io.Writer) error {
	shown := *c
	shown.KeyFile = c.keyFile()
	encoder := yamlv3.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(shown); err != nil {
		return err
	}
	return encoder.Close()
}

// gcPercent lets the heap grow to three times the live heap before a collection;
// Go's default is twice. Marking the live heap delays the orders of that time,
// which show up in the 99th percentile.
const gcPercent = 200

// tuneCollector sets gcPercent unless the operator has set GOGC. GOMEMLIMIT
// bounds the heap in either case.
func tuneCollector(environ []string) {
	if !slices.ContainsFunc(environ, func(variable string) bool { return strings.HasPrefix(variable, "GOGC=") }) {
		debug.SetGCPercent(gcPercent)
	}
}
