package main

import (
	"github.com/spf13/cobra"
)

func newServeCommand(sh shell) *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the service", Args: cobra.NoArgs,
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
