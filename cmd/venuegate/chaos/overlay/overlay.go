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
	// Name identifies the edit in errors.
	Name string
	// File is a path below the root of the module, with slashes.
	File string
	// Old occurs exactly once in the file; New replaces it.
	Old, New string
}

// Variant is a set of changes of the module's source. Edits of one file are applied in
// their order.
type Variant struct {
	Edits []Edit
	// Added are additional files, by path below the root.
	Added map[string]string
}

// Join returns a variant with the changes of all given ones.
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

// Build compiles packages of the module at root and writes the program to output. Flags
// such as -race may precede the packages.
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

// Write writes the changed files to dir and returns the name of the file that describes
// them for `go build -overlay`. Its error lists all edits that do not fit.
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

// apply returns the new text of every changed or added file.
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

// Root returns the module's root, searching upwards from the working directory.
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
