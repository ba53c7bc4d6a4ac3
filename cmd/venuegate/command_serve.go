package main

import (
	"github.com/spf13/cobra"
)

func newServeCommand(sh shell) *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the service", Args: cobra.NoArgs,
		Long: `Runs the service until it is told to stop. SIGTERM and SIGINT stop accepting, let
requests under way end (at most 10 s), flush and close; a second signal ends at
once. Ending it in any other way loses nothing that was answered.

Configuration is a YAML file, then VENUEGATE_* variables, then flags; what cannot
be used names itself and ends with status 2.

Memory is collected when it has grown to three times what is in use, which keeps
collections out of the way of orders; GOGC sets another measure, GOMEMLIMIT a bound.`,
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
	cmd.Flags().BoolVar(&printOnly, "print-config", false, "print the configuration, secrets hidden, and end")
	return cmd
}
