package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"venuegate/venues"
)

func newSimCommand() *cobra.Command {
	o := simOptions{}
	var out, data, format, level string
	cmd := &cobra.Command{
		Use: "sim", Short: "Run the simulated venues as a separate process", Args: namedArgs,
		Long: `Runs the simulated venues until SIGTERM or SIGINT.

Each venue uses two consecutive ports, starting with --listen: one for the venue's
own protocols, and one to control it: move the market, inject faults, read the
ledger. With port 0 every port is a free one.

A market moves ten times a second, with one or two trades each time. --rate, --symbols
and --book-step drive the service harder. The trades of a step are sent together, so that a
high rate needs a short step to be even.

With --data the venues continue with their accounts, positions and orders when they are
started again.`,
		Example: `  venuegate sim --out sim.json
  venuegate sim --symbols 60 --rate 50 --book-step 10ms --out sim.json`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return checkPace(cmd.Flags(), o) },
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Log, err = newLogger(LogConfig{Format: format, Level: level}, cmd.ErrOrStderr()); err != nil {
				return err
			}
			return runSim(cmd, o, data, out)
		},
	}
	defaults := DefaultConfig().Log
	flags := cmd.Flags()
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:0", "first loopback `ADDR`")
	flags.StringVar(&out, "out", "", "write the addresses and accounts of the venues to `FILE`, for serve --sim")
	flags.StringVar(&data, "data", "", "keep the state of the venues in `DIR`")
	flags.StringVar(&o.Ledger, "ledger", "", "append every order to `FILE`")
	flags.Uint64Var(&o.Seed, "seed", simSeed, "seed `N` of markets, ids and credentials")
	flags.BoolVar(&o.Quiet, "quiet-market", false, "books that change only by orders and by control calls")
	flags.IntVar(&o.Pace.Rate, "rate", 0, "make `N` trades per second in each market, instead of one or two with each change of its book")
	flags.IntVar(&o.Pace.Symbols, "symbols", 0, "list `N` instruments on each venue, instead of its own: those beyond them are SIM1USDT, SIM2USDT, ...")
	flags.DurationVar(&o.Pace.BookStep, "book-step", 0, "change the books every `TIME`, instead of 100ms; below that also send each change at once")
	flags.StringToStringVar(&o.Replay, "replay", nil, "replay a recording as public streams, `VENUE=FILE`")
	flags.StringToStringVar(&o.ReplaySnapshots, "replay-snapshot", nil, "book snapshots that the recording lacks, `VENUE=FILE`")
	flags.StringVar(&format, "log-format", logConsole, "json, or console for people")
	flags.StringVar(&level, "log-level", defaults.Level, "debug, info, warn or error")
	return cmd
}

// checkPace requires that the pace of the markets is in range where it is given.
func checkPace(flags *pflag.FlagSet, o simOptions) error {
	for _, name := range []string{"rate", "symbols", "book-step"} {
		flag := flags.Lookup(name)
		switch {
		case !flag.Changed:
			continue
		case flag.Value.String() == flag.DefValue:
			return fmt.Errorf("--%s must be above zero", name)
		case o.Quiet && name != "symbols":
			return fmt.Errorf("--%s has no effect with --quiet-market: remove one of them", name)
		}
	}
	if err := o.Pace.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

func runSim(cmd *cobra.Command, o simOptions, data, out string) (err error) {
	if data != "" {
		dir, failed := openDataDir(data)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, dir.Close()) }()
		o.StateDir = dir.file(simStateName)
	}
	sims, err := startSimulators(o)
	if err != nil {
		return err
	}
	printSimulators(cmd.OutOrStdout(), sims.venues)
	if out != "" {
		if err := writeSimFile(out, sims.venues); err != nil {
			_ = sims.Close()
			return err
		}
	}
	<-cmd.Context().Done()
	return sims.Close()
}

func printSimulators(w io.Writer, described map[venues.Venue]SimVenue) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, venue := range venues.All() {
		if v, runs := described[venue]; runs {
			fmt.Fprintln(table, strings.Join([]string{string(venue), v.RESTURL, v.WSURL, "control " + v.ControlURL}, "\t"))
		}
	}
	_ = table.Flush()
}
