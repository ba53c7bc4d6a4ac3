package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// doctorTimeout bounds the checks of one venue or account.
const doctorTimeout = 30 * time.Second

func newDoctorCommand(sh shell) *cobra.Command {
	exchange := string(venues.Binance)
	var file string
	var loss bool
	out := &output{}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check venues, clocks, keys and accounts", Args: namedArgs,
		Long: `Checks what the service depends on, and prints what is wrong and how to fix it. It
reads the time of each configured venue. A running service also checks every
connected account; with --credentials, one account is checked before it is
connected, whether the service runs or not. Ends with status 1 if a check failed.

A store that failed its integrity check takes no orders. Restore a backup, or, if the
newest one is too old, use --accept-loss: it keeps the rows that are left if some are
missing, if the log or the seal is lost, or if one of them or the database is an older
one. A damaged file of the database cannot be accepted: that needs a backup.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd, sh)
			if err != nil {
				return err
			}
			if loss {
				return acceptLoss(cmd.Context(), config, cmd.OutOrStdout())
			}
			out.open(cmd.OutOrStdout(), sh.Environ)
			d, err := newDoctor(config, out)
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
			return d.findings.end()
		},
	}
	configFlags(cmd, "data", "admin-listen", "demo", "sim")
	out.addFlags(cmd, true)
	choiceFlag(cmd, &exchange, "exchange", "", "venue of --credentials", venues.All()...)
	cmd.Flags().StringVar(&file, "credentials", "", "check the account of `FILE` (JSON; - is standard input)")
	cmd.Flags().BoolVar(&loss, "accept-loss", false, "make a store that failed its integrity check usable, without what it has lost, and halt all accounts; the service must be stopped")
	return cmd
}

// acceptLoss makes the store of a service that does not run usable as it is, if it failed its
// integrity check. All accounts are halted, because requestIds may be lost: if that is
// interrupted, the service does not start before the next call has halted the others.
func acceptLoss(ctx context.Context, config Config, out io.Writer) (err error) {
	if _, err := os.Stat(filepath.Join(config.Data, storeName)); err != nil {
		return fmt.Errorf("no store: %w", err)
	}
	dir, err := openDataDir(config.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	store, err := badgerstore.Open(dir.file(storeName), badgerstore.Options{})
	if errors.Is(err, persistence.ErrIntegrity) {
		return fmt.Errorf("a damaged file cannot be accepted as a loss, restore a backup: %w", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	damage := store.Integrity()
	if damage == nil && dir.checkHalted() == nil {
		fmt.Fprintln(out, "No damage of the store is known; nothing was changed.")
		return nil
	}
	if err := dir.markUnhalted(); err != nil {
		return err
	}
	if err := store.AcceptLoss(ctx); err != nil {
		return err
	}
	if damage != nil {
		fmt.Fprintf(out, "The store is usable as it is. It had failed its integrity check: %v\n", damage)
	}
	halted, err := haltAll(ctx, store, "accept-loss")
	printHalted(out, halted, "that the store has lost")
	if err != nil {
		return fmt.Errorf("some accounts are not halted, run this command again: %w", err)
	}
	return os.Remove(dir.file(unhaltedName))
}

// doctor runs checks and reports their results.
type doctor struct {
	config   Config
	examiner examiner
	close    func()
	findings findings
}

func newDoctor(config Config, out *output) (*doctor, error) {
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
	return &doctor{config: config, examiner: examiner{connectors, config.Venues}, close: closeAll, findings: findings{out: out}}, nil
}

func (d *doctor) venues(ctx context.Context) {
	for _, venue := range d.config.venueCodes() {
		ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
		d.report(string(venue), examineVenue(ctx, d.examiner.connectors[venue]))
		cancel()
	}
}

// service requests the checks of the accounts from the running service, because only
// the service can open their credentials.
func (d *doctor) service(ctx context.Context) {
	client, err := newAdminClient(d.config)
	var accounts []registry.Account
	if err == nil {
		accounts, err = list[registry.Account](ctx, client, "accounts", "")
	}
	if err != nil {
		d.report("service", []registry.CheckResult{warning("running", redact(err.Error()), "start it, or name an account with --credentials; no account was checked")})
		return
	}
	d.report("service", []registry.CheckResult{passed("running", fmt.Sprintf("the service runs at %s, %d accounts connected", client.url, len(accounts)))})
	for _, account := range accounts {
		results, err := check(ctx, client, account.ID)
		if err != nil {
			results = []registry.CheckResult{failed("check", err.Error(), "see the service's log", err)}
		}
		d.report(account.ID, results)
	}
}

func (d *doctor) credentials(ctx context.Context, exchange, file string, in io.Reader) error {
	credentials, err := readCredentials(file, in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	d.report(exchange, d.examiner.Examine(ctx, venues.Venue(exchange), credentials))
	return nil
}

func (d *doctor) report(subject string, results []registry.CheckResult) {
	d.findings.add(subject, results)
}
