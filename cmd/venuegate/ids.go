package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"venuegate/persistence"
)

const (
	// ulidLength is the length of an id without its prefix.
	ulidLength = 26
	// shortMin is the least length of a shortened id without its prefix: it differs
	// between ids that were made 33 s apart.
	shortMin = 7
	// acceptedMin is the least length of a shortened id that is accepted, so that the only
	// record of a kind is not meant by accident.
	acceptedMin = 4
)

// shortenedKinds has the kinds of record whose ids commands accept shortened, by the prefix
// of the id.
var shortenedKinds = map[string]string{
	persistence.PrefixCustomer: "customers", persistence.PrefixChannel: "hooks", persistence.PrefixEndpoint: "endpoints", persistence.PrefixAlert: "alerts",
}

// splitID splits an id, which may be shortened, into prefix and rest. The id of an account
// ends with its venue.
func splitID(text string) (prefix, rest, venue string, ok bool) {
	id, venue, _ := strings.Cut(text, ":")
	prefix, rest, _ = strings.Cut(id, "_")
	_, ok = shortenedKinds[prefix]
	return prefix, rest, venue, ok
}

// isWhole reports whether an id is not shortened.
func isWhole(rest string) bool { return len(rest) >= ulidLength }

// shortenIDs returns a table whose ids are as short as they can be and still differ from all
// others in it.
func shortenIDs(cells [][]string) [][]string {
	known := map[string]bool{}
	for _, row := range cells {
		for _, cell := range row {
			if prefix, rest, _, ok := splitID(cell); ok && isWhole(rest) {
				known[prefix+"_"+rest] = true
			}
		}
	}
	short := make(map[string]string, len(known))
	for id := range known {
		short[id] = shortestOf(id, known)
	}
	shown := make([][]string, len(cells))
	for i, row := range cells {
		shown[i] = slices.Clone(row)
		for j, cell := range row {
			id, venue, has := strings.Cut(cell, ":")
			if s, is := short[id]; is {
				shown[i][j] = s
				if has {
					shown[i][j] += ":" + venue
				}
			}
		}
	}
	return shown
}

func shortestOf(id string, known map[string]bool) string {
	for n := strings.Index(id, "_") + 1 + shortMin; n < len(id); n++ {
		begins := 0
		for other := range known {
			if strings.HasPrefix(other, id[:n]) {
				begins++
			}
		}
		if begins == 1 {
			return id[:n]
		}
	}
	return id
}

// wholeID returns the id that begins with a shortened one. A text that is no shortened id is
// returned as it is: the service decides what it is.
func (c *adminClient) wholeID(ctx context.Context, text string) (string, error) {
	prefix, rest, venue, ok := splitID(text)
	if !ok || isWhole(rest) {
		return text, nil
	}
	if len(rest) < acceptedMin {
		return "", fmt.Errorf("`%s` is too short for an id", text)
	}
	ids, err := c.ids(ctx, shortenedKinds[prefix])
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, prefix+"_"+rest) })
	switch {
	case len(found) == 0:
		return "", fmt.Errorf("no id in %s begins with `%s_%s`", shortenedKinds[prefix], prefix, rest)
	case len(found) > 1:
		return "", fmt.Errorf("`%s_%s` is ambiguous; it may be %s", prefix, rest, orList(found))
	case venue != "":
		return found[0] + ":" + venue, nil
	}
	return found[0], nil
}

// ids returns the ids of the records of a kind.
func (c *adminClient) ids(ctx context.Context, kind string) ([]string, error) {
	found, err := list[namedRecord](ctx, c, kind, "")
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return ids, err
}

// completeIDs replaces shortened ids in the arguments and flags of a command.
func (c *adminClient) completeIDs(cmd *cobra.Command, args []string) (err error) {
	if takesID(cmd) {
		if args[0], err = c.wholeID(cmd.Context(), args[0]); err != nil {
			return err
		}
	}
	for name := range idFlags {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || flag.Value.String() == "" {
			continue
		}
		id, err := c.wholeID(cmd.Context(), flag.Value.String())
		if err == nil {
			err = flag.Value.Set(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takesID reports whether the first argument of a command is the id of a record.
func takesID(cmd *cobra.Command) bool { return strings.HasSuffix(cmd.Use, " ID") }

// idFlags has the flags that take the id of a record, each with the kinds of record.
var idFlags = map[string][]string{
	"customer": {"customers"}, "hook": {"hooks"}, "channel": {"hooks", "endpoints"},
}
