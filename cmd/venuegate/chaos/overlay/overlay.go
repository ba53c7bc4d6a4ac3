package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Edit changes one place of the source.
type Edit struct {
	// Name says in errors which edit it is.
	Name string
	// File is a path below the root of the module, with slashes.
	File string
	// Old occurs exactly once in the file; New stands there instead.
	Old, New string
}

// Variant of the module's source. Edits of one file are made in their order.
type Variant struct {
	Edits []Edit
	// Added are files that the source does not have, by path below the root.
	Added map[string]string
}

// Join is a variant with the changes of all of them.
func Join(variants ...Variant) Variant {
	joined := Variant{Added: map[string]string{}}
	for _, v := range variants {
		joined.Edits = append(joined.Edits, v.Edits...)
		for file, content := range v.Added {
			joined.Added[file] = content
		}
	}
	return joined
}

// Build compiles packages of the module at root, with the race detector or
// other flags if they are given before the packages, and puts the program at
// output.
func (v Variant) Build(ctx context.Context, root, output string, args ...string) error {
	return v.goTool(ctx, root, output, "build", args)
}

// BuildTest compiles the test binary of one package.
func (v Variant) BuildTest(ctx context.Context, root, output string, args ...string) error {
	return v.goTool(ctx, root, output, "test", append([]string{"-c"}, args...))
}

func (v Variant) goTool(ctx context.Context, root, output, verb string, args []string) error {
	dir, err := os.MkdirTemp("", "overlay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a directory for temporary files
	description, err := v.Write(root, dir)
	if err != nil {
		return err
	}
	all := append([]string{verb, "-trimpath", "-overlay", description, "-o", output}, args...)
	command := exec.CommandContext(ctx, "go", all...) //nolint:gosec // the go tool, on this module
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(all, " "), err, out)
	}
	return nil
}

// Write puts the changed files into dir and gives the name of the file that
// describes them for `go build -overlay`. All edits that do not fit are
// reported together.
func (v Variant) Write(root, dir string) (description string, err error) {
	changed, err := v.apply(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, content := range changed {
		name := filepath.Join(dir, strconv.Itoa(len(replace))+"_"+filepath.Base(file))
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(file))] = name
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	description = filepath.Join(dir, "overlay.json")
	return description, os.WriteFile(description, encoded, 0o600)
}

// apply gives the new text of every file that is changed or added.
func (v Variant) apply(root string) (map[string]string, error) {
	changed := map[string]string{}
	var faults []error
	for file, content := range v.Added {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			faults = append(faults, fmt.Errorf("%s exists", file))
		}
		changed[file] = content
	}
	for _, e := range v.Edits {
		text, known := changed[e.File]
		if !known {
			content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
			if err != nil {
				faults = append(faults, fmt.Errorf("edit %s: %w", e.Name, err))
				continue
			}
			text = string(content)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			faults = append(faults, fmt.Errorf("edit %s: %s has the text %d times, not once: %s", e.Name, e.File, n, e.Old))
			continue
		}
		changed[e.File] = strings.Replace(text, e.Old, e.New, 1)
	}
	return changed, errors.Join(faults...)
}

// Root finds the module's root from the working directory upwards.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}
