package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"venuegate/bench"
)

func newBenchCommand() *cobra.Command {
	var o bench.Options
	cmd := &cobra.Command{
		Use: "bench [SCENARIO...]", Short: "Measure the service against the limits of this machine",
		Long: "Measures the service against the limits of this machine; bench/README.md describes the method.\n\nScenarios, all but soak where none is named:\n\n" + benchScenarios(),
		Args: benchArgs, ValidArgs: benchNames(),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Binary == "" {
				if o.Binary, err = os.Executable(); err != nil {
					return err
				}
			}
			return bench.Run(cmd.Context(), cmd.OutOrStdout(), args, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Binary, "binary", "", "measure another executable, `FILE`")
	flags.IntVar(&o.Rounds, "rounds", bench.RoundsDefault, "repeat each measurement `N` times")
	cmd.AddCommand(newBenchPartCommand())
	return cmd
}

// newBenchPartCommand returns the command that scenarios start as a separate
// process.
func newBenchPartCommand() *cobra.Command {
	return &cobra.Command{
		Use: "part NAME ARGUMENT", Short: "Run one process of a scenario", Hidden: true, Args: namedArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return bench.Part(cmd.Context(), args[0], args[1], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// benchArgs requires names of scenarios.
func benchArgs(_ *cobra.Command, args []string) error {
	for _, name := range args {
		if _, err := bench.Select([]string{name}); err != nil {
			known := benchNames()
			return fmt.Errorf("unknown scenario `%s`%s\nscenarios: %s", name, didYouMean(name, known), strings.Join(known, ", "))
		}
	}
	return nil
}

func benchNames() []string {
	scenarios := bench.Scenarios()
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.Name
	}
	return names
}

func benchScenarios() string {
	var text strings.Builder
	for _, s := range bench.Scenarios() {
		fmt.Fprintf(&text, "  %-14s %s\n", s.Name, s.Does)
	}
	return text.String()
}
