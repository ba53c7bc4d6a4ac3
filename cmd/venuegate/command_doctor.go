package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"venuegate/transport/admin"
	"venuegate/venues"
)

// doctorTimeout bounds the examination of one venue or account.
const doctorTimeout = 30 * time.Second

func newDoctorCommand(sh shell) *cobra.Command {
	var exchange, file string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Examine venues, clocks, keys and accounts; say what to do", Args: cobra.NoArgs,
		Long: `Examines what the service depends on and says in words what is wrong and what to
do about it. Each configured venue is asked for the time. If the service runs, it
examines every connected account; with --credentials, one account is examined
before it is connected, whether the service runs or not. Ends with status 1 if
anything failed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			d, err := newDoctor(config, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			defer d.close()
			if file == "" {
				d.venues(cmd.Context())
				d.service(cmd.Context())
			} else if err := d.credentials(cmd.Context(), exchange, file, sh.In); err != nil {
				return err
			}
			return d.verdict()
		},
	}
	configFlags(cmd, "data", "admin-listen", "demo", "sim")
	cmd.Flags().StringVar(&exchange, "exchange", string(venues.Binance), "venue of --credentials")
	cmd.Flags().StringVar(&file, "credentials", "", "examine the account of `FILE` (JSON; - is standard input)")
	return cmd
}

// doctor examines and counts what failed.
type doctor struct {
	config   Config
	examiner examiner
	close    func()
	out      io.Writer
	failures int
}

func newDoctor(config Config, out io.Writer) (*doctor, error) {
	if _, err := readDemoFile(config.Data); err == nil {
		config.Demo = true // the directory is a demo's
	}
	if config.Demo {
		described, err := demoVenues(config)
		if err != nil {
			return nil, err
		}
		config.useSimulators(described)
	}
	connectors, closeAll, err := openConnectors(config, zap.NewNop())
	if err != nil {
		return nil, err
	}
	return &doctor{config: config, examiner: examiner{connectors, config.Venues}, close: closeAll, out: out}, nil
}

func (d *doctor) venues(ctx context.Context) {
	for _, venue := range d.config.venueCodes() {
		ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
		d.tell(string(venue), examineVenue(ctx, d.examiner.connectors[venue]))
		cancel()
	}
}

// service lets the running service examine its accounts: it alone can open
// their credentials.
func (d *doctor) service(ctx context.Context) {
	client, err := newAdminClient(d.config)
	var accounts []admin.Account
	if err == nil {
		accounts, err = list[admin.Account](ctx, client, "accounts", "")
	}
	if err != nil {
		d.tell("service", []admin.Finding{warning("running", redact(err.Error()), "start it, or name an account with --credentials; without it no account was examined")})
		return
	}
	d.tell("service", []admin.Finding{passed("running", fmt.Sprintf("the service answers at %s, %d accounts connected", client.url, len(accounts)))})
	for _, account := range accounts {
		findings, err := check(ctx, client, account.ID)
		if err != nil {
			findings = []admin.Finding{failed("check", err.Error(), "see the service's log", err)}
		}
		d.tell(account.ID, findings)
	}
}

func (d *doctor) credentials(ctx context.Context, exchange, file string, in io.Reader) error {
	credentials, err := readCredentials(file, in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	d.tell(exchange, d.examiner.Examine(ctx, venues.Venue(exchange), credentials))
	return nil
}

func (d *doctor) tell(subject string, findings []admin.Finding) {
	d.failures += writeFindings(d.out, subject, findings)
}

func (d *doctor) verdict() error {
	if d.failures > 0 {
		return fmt.Errorf("%d of the checks failed", d.failures)
	}
	return nil
}

// printFindings prints and is an error if any failed.
func printFindings(out io.Writer, subject string, findings []admin.Finding) error {
	if writeFindings(out, subject, findings) > 0 {
		return errors.New("the account cannot trade")
	}
	return nil
}

// writeFindings prints a line each, the advice below, and counts the failed.
func writeFindings(out io.Writer, subject string, findings []admin.Finding) (failures int) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		text := f.Text
		if e, told := errors.AsType[*venues.Error](f.Err); told && e.VenueCode != "" {
			text += " (" + e.VenueCode + ": " + e.VenueMessage + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.Status, subject, f.Check, text)
		if f.Advice != "" {
			fmt.Fprintf(table, "\t\t\t-> %s\n", f.Advice)
		}
		if f.Status == admin.FindingFailed {
			failures++
		}
	}
	// A failed write to a terminal has nobody to be told to.
	_ = table.Flush()
	return failures
}
