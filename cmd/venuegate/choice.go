package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is the value of a flag that is one of the allowed ones.
type choice struct {
	value   *string
	allowed []string
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type implements pflag.Value.
func (c choice) Type() string { return "string" }

// Set implements pflag.Value.
func (c choice) Set(text string) error {
	if err := checkChoice(text, c.allowed); err != nil {
		return err
	}
	*c.value = text
	return nil
}

// choices is the value of a flag that is a list of allowed ones; "" is the empty list.
type choices struct {
	values  *[]string
	allowed []string
	changed *bool
}

func (c choices) String() string {
	if c.values == nil {
		return ""
	}
	return strings.Join(*c.values, ",")
}

// Type implements pflag.Value.
func (c choices) Type() string { return "strings" }

// Set implements pflag.Value. A flag that is repeated adds to the list.
func (c choices) Set(text string) error {
	var list []string
	if text != "" {
		list = strings.Split(text, ",")
	}
	for _, each := range list {
		if err := checkChoice(each, c.allowed); err != nil {
			return err
		}
	}
	if *c.changed {
		list = append(*c.values, list...)
	}
	*c.values, *c.changed = list, true
	return nil
}

func checkChoice(text string, allowed []string) error {
	if slices.Contains(allowed, text) {
		return nil
	}
	return errors.New(mustBeOneOf(text, allowed))
}

// mustBeOneOf returns the problem of a value that is not allowed.
func mustBeOneOf(text string, allowed []string) string {
	return "must be " + orList(allowed) + ", not `" + text + "`" + didYouMean(text, allowed)
}

// orList returns "a, b or c".
func orList(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " or " + names[n]
	}
	return strings.Join(names, "")
}

// choiceFlag adds a flag with a letter, or "", whose value is one of the allowed ones.
func choiceFlag[T ~string](cmd *cobra.Command, value *string, name, letter, usage string, allowed ...T) {
	texts := textsOf(allowed)
	cmd.Flags().VarP(choice{value, texts}, name, letter, usage+": "+orList(texts))
	completeFlag(cmd, name, texts)
}

// choicesFlag adds a flag whose value is a list of allowed ones.
func choicesFlag[T ~string](cmd *cobra.Command, values *[]string, name, usage string, allowed ...T) {
	texts := textsOf(allowed)
	cmd.Flags().Var(choices{values, texts, new(bool)}, name, usage+": "+strings.Join(texts, ", "))
	completeFlag(cmd, name, texts)
}

func textsOf[T ~string](names []T) []string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return texts
}
