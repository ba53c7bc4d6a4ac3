package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// noSubcommand is the Args of a command that has subcommands only.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	return fmt.Errorf("unknown command `%s`%s\n%s has the commands %s", args[0], didYouMean(args[0], known), cmd.CommandPath(), strings.Join(known, ", "))
}

// namedArgs is the Args of a command whose Use names the arguments after the command, of
// which a last one with dots may be repeated.
func namedArgs(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]
	n := len(names)
	usage := strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
	switch {
	case len(args) < n:
		return fmt.Errorf("%s is missing: %s", strings.TrimSuffix(names[len(args)], "..."), usage)
	case len(args) > n && (n == 0 || !strings.HasSuffix(names[n-1], "...")):
		return fmt.Errorf("unexpected argument `%s`: %s", args[n], usage)
	}
	return nil
}

// flagError describes an error of the flags in the words of the command line.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		return unknownFlag(cmd, unknown, err)
	}
	if invalid, is := errors.AsType[*pflag.InvalidValueError](err); is {
		problem := invalid.Unwrap().Error()
		if values, numbered := flagForms[invalid.GetFlag().Value.Type()]; numbered {
			problem = "must be " + values + ", not `" + invalid.GetValue() + "`"
		}
		return fmt.Errorf("--%s %s", invalid.GetFlag().Name, problem)
	}
	return err
}

// flagForms describes the values of flags by their type.
var flagForms = map[string]string{
	"int": "a whole number", "uint64": "a whole number, zero or more", "bool": "true or false", "duration": "a duration such as 90s or 24h",
	"stringToString": "NAME=VALUE",
}

func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError, err error) error {
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	slices.Sort(known)
	return fmt.Errorf("unknown flag `--%s`%s", name, didYouMean("--"+name, known))
}
