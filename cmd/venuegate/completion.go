package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"venuegate/persistence"
)

// addCompletion adds the command that prints the completion scripts of shells.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = noSubcommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.Short = "Print the script with which a shell completes commands, ids and values"
			cmd.Long = `Prints a script with which a shell completes commands, flags, and values: ids of the
running service, scopes, venues, scenarios. For this session:

  bash   source <(venuegate completion bash)
  zsh    source <(venuegate completion zsh)
  fish   venuegate completion fish | source

The help of each shell says how to load it in every session.`
		}
	}
}

// completeFlag lets the shell complete the value of a flag, the last one of a list.
func completeFlag(cmd *cobra.Command, name string, values []string) {
	// The only error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		found := make([]string, len(values))
		for i, v := range values {
			found[i] = before + v
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	})
}

// completeIDsOf lets the shell complete the ids that commands take, of the records that the
// running service has.
func completeIDsOf(sh shell, cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		completeIDsOf(sh, child)
	}
	if takesID(cmd) {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return knownIDs(sh, cmd, cmd.Parent().Name()), cobra.ShellCompDirectiveNoFileComp
		}
	}
	for name, kinds := range idFlags {
		// The error is a flag that the command does not have.
		_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return knownIDs(sh, cmd, kinds...), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// namedRecord has the members that records of all kinds have, and a name, which only some have.
type namedRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// knownIDs returns the ids of the records of some kinds, each with its name as a description.
func knownIDs(sh shell, cmd *cobra.Command, kinds ...string) []string {
	client, err := openAdminClient(cmd, sh)
	if err != nil {
		return nil
	}
	var found []string
	for _, kind := range kinds {
		records, err := list[namedRecord](cmd.Context(), client, kind, "")
		if err != nil {
			return nil
		}
		for _, r := range records {
			if r.Name != "" {
				r.ID += "\t" + r.Name
			}
			found = append(found, r.ID)
		}
	}
	return found
}

// eventTypes returns the types of event that any endpoint receives.
func eventTypes() []string {
	types := slices.Concat(
		textsOf(persistence.EndpointWebhook.EventTypes()), textsOf(persistence.EndpointTelegram.EventTypes()),
		textsOf(persistence.EndpointSheet.EventTypes()), textsOf(persistence.EndpointFile.EventTypes()),
	)
	slices.Sort(types)
	return slices.Compact(types)
}
