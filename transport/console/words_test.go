package console_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"venuegate/venues"
)

// The pages have a sentence for each code, and for each rule and reason that the service or
// a connector can give with one.
func TestEveryCodeAndReasonHasASentence(t *testing.T) {
	page, err := os.ReadFile("web/src/app/text/signals.ts")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, entry := range regexp.MustCompile(`(?m)^  (\w+): \{`).FindAllStringSubmatch(string(page), -1) {
		explained[entry[1]] = true
	}
	given := reasons(t)
	if len(given) < 40 || !given["max_qty"] || !given["no_position"] || !given["not_flat"] {
		t.Errorf("found %d rules and reasons %q, want all of the service", len(given), slices.Sorted(maps.Keys(given)))
	}
	for _, code := range venues.Codes() {
		given[string(code)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !explained[name] {
			t.Errorf("%s has no sentence in web/src/app/text/signals.ts, want one", name)
		}
	}
}

// reasons returns the rules and reasons in the source of actors and connectors.
func reasons(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, root := range []string{"../../actors", "../../venues"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (strings.Contains(entry.Name(), "sim") || strings.HasSuffix(entry.Name(), "test")) {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err == nil {
				ast.Inspect(file, func(n ast.Node) bool { addReasons(n, found); return true })
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// addReasons adds the reasons in a constant, in a call of With, and in the member Reason of a
// literal.
func addReasons(n ast.Node, found map[string]bool) {
	add := func(value ast.Expr) {
		if literal, is := value.(*ast.BasicLit); is && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil && regexp.MustCompile(`^[a-z][a-z_]+$`).MatchString(text) {
				found[text] = true
			}
		}
	}
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) && regexp.MustCompile(`^([Rr]ule|[Rr]eason)[A-Z]`).MatchString(name.Name) {
				add(n.Values[i])
			}
		}
	case *ast.CallExpr:
		method, is := n.Fun.(*ast.SelectorExpr)
		if !is || method.Sel.Name != "With" || len(n.Args) != 2 {
			return
		}
		if name, is := n.Args[0].(*ast.BasicLit); is && (name.Value == `"reason"` || name.Value == `"rule"`) {
			add(n.Args[1])
		}
	case *ast.KeyValueExpr:
		if name, is := n.Key.(*ast.Ident); is && name.Name == "Reason" {
			add(n.Value)
		}
	}
}
