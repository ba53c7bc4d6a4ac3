package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/go-json-experiment/json"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// finding is the result of a check of a venue, an account or the service.
type finding struct {
	Subject string `json:"subject"`
	registry.CheckResult
}

// findings prints the results of checks, in every form but JSON as they come, and counts failures.
type findings struct {
	out      *output
	pending  []finding
	failures int
	err      error
}

func (f *findings) add(subject string, results []registry.CheckResult) {
	found := make([]finding, len(results))
	for i, r := range results {
		if e, ok := errors.AsType[*venues.Error](r.Err); ok && e.VenueCode != "" {
			r.Text += " (" + e.VenueCode + ": " + e.VenueMessage + ")"
		}
		if r.Status == registry.CheckFailed {
			f.failures++
		}
		found[i] = finding{subject, r}
	}
	switch f.out.format {
	case formatTable:
		f.err = errors.Join(f.err, f.printTable(found))
	case formatJSONL:
		f.err = errors.Join(f.err, f.printLines(found))
	default:
		f.pending = append(f.pending, found...)
	}
}

// printTable prints a line for each result, with its advice below.
func (f *findings) printTable(found []finding) error {
	table := tabwriter.NewWriter(f.out, 0, 0, 2, ' ', 0)
	for _, r := range found {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.Status, r.Subject, r.Check, printable(r.Text))
		if r.Advice != "" {
			fmt.Fprintf(table, "\t\t\t-> %s\n", printable(r.Advice))
		}
	}
	return table.Flush()
}

func (f *findings) printLines(found []finding) error {
	for _, r := range found {
		if err := json.MarshalWrite(f.out, r); err != nil {
			return err
		}
		fmt.Fprintln(f.out)
	}
	return nil
}

// end prints what is pending, and returns an error if a check failed.
func (f *findings) end() error {
	if f.out.format == formatJSON {
		f.err = errors.Join(f.err, f.out.printJSON(f.pending))
	}
	if f.failures > 0 {
		f.err = errors.Join(f.err, fmt.Errorf("%d of the checks failed", f.failures))
	}
	return f.err
}
