package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "venuegate"

// TestImports checks every Go file of the module against the rules. It opens the files
// itself: that makes them part of the test cache key, so that a cached result never
// hides a new violation.
func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skippedDir(d.Name()) && file != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		files++
		for _, b := range checkFile(t, filepath.ToSlash(rel), file, nil) {
			t.Error(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatal("no Go file was read")
	}
}

func skippedDir(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		name == "testdata" || name == "node_modules" || name == "bin" || name == "data"
}

// violation is a violation of a rule, printed as `file:line: what: why`.
type violation struct {
	file string
	line int
	what string
	why  string
}

func (b violation) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", b.file, b.line, b.what, b.why)
}

// checkFile parses one file, from src if that is not nil, and returns its violations.
// rel is its path below the module.
func checkFile(t testing.TB, rel, name string, src any) []violation {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse %s: %v", rel, err)
	}
	c := &checker{
		fset: fset, file: parsed, rel: rel, pkg: path.Dir(rel),
		test: strings.HasSuffix(rel, "_test.go"), state: path.Base(rel) == "state.go",
	}
	c.checkImports()
	c.checkNames()
	return c.violations
}

type checker struct {
	fset       *token.FileSet
	file       *ast.File
	rel        string
	pkg        string
	test       bool
	state      bool
	violations []violation
}

func (c *checker) report(at token.Pos, why, format string, args ...any) {
	c.violations = append(c.violations, violation{c.rel, c.fset.Position(at).Line, fmt.Sprintf(format, args...), why})
}

func (c *checker) checkImports() {
	i := slices.IndexFunc(packageRules, func(r packageRule) bool { return matches(r.packages, c.pkg) })
	if i < 0 {
		c.report(c.file.Package, "every package needs a rule in imports_rules_test.go", "%s has no rule", c.pkg)
		return
	}
	for _, spec := range c.file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == "." {
			c.report(spec.Pos(), "the origin of a name must be visible", "dot import of %s", imported)
		}
		if own, ok := strings.CutPrefix(imported, modulePath+"/"); ok {
			c.checkOwn(spec, packageRules[i], own)
		} else {
			c.checkForeign(spec, imported)
		}
		if c.state && slices.ContainsFunc(bannedInStateFiles, func(p string) bool { return within(p, imported) }) {
			c.report(spec.Pos(), stateFilesAre, "state.go imports %s", imported)
		}
	}
}

func (c *checker) checkOwn(spec *ast.ImportSpec, r packageRule, imported string) {
	for _, closed := range closedPackages {
		if matches(closed.packages, imported) && !matchesAny(closed.may, c.pkg) {
			c.report(spec.Pos(), closed.why, "%s imports %s", c.pkg, imported)
		}
	}
	if imported == c.pkg || matchesAny(r.may, imported) {
		return
	}
	if c.test && (strings.HasSuffix(imported, "test") || strings.HasPrefix(imported, c.pkg+"/") || matchesAny(r.tests, imported)) {
		return
	}
	c.report(spec.Pos(), r.why, "%s imports %s", c.pkg, imported)
}

func (c *checker) checkForeign(spec *ast.ImportSpec, imported string) {
	standard := !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
	if standard {
		return
	}
	for _, contract := range contracts {
		if c.pkg == contract.module && !c.test && !slices.Contains(contract.owners, imported) {
			c.report(spec.Pos(), contract.why, "%s imports %s", c.pkg, imported)
		}
	}
	var rule *technology
	for i, t := range technologies {
		if within(t.module, imported) && (rule == nil || len(t.module) > len(rule.module)) {
			rule = &technologies[i]
		}
	}
	if rule == nil || matchesAny(rule.owners, c.pkg) || c.test && matchesAny(rule.testers, c.pkg) {
		return
	}
	c.report(spec.Pos(), rule.why, "%s imports %s", c.pkg, imported)
}

// checkNames checks the used members of imported packages, and go statements in state
// machines.
func (c *checker) checkNames() {
	local := map[string]string{}
	for _, spec := range c.file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		local[localName(spec, imported)] = imported
	}
	ast.Inspect(c.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if c.state {
				c.report(n.Pos(), stateFilesAre, "state.go starts a goroutine")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && local[x.Name] != "" {
				c.checkMember(n.Pos(), local[x.Name], n.Sel.Name)
			}
		}
		return true
	})
}

func (c *checker) checkMember(at token.Pos, module, name string) {
	for _, ban := range bans {
		if ban.module != module || exempt[c.rel].module == module || c.test && !ban.inTests || ban.file != "" && ban.file != path.Base(c.rel) {
			continue
		}
		if len(ban.except) > 0 && slices.Contains(ban.except, name) || len(ban.except) == 0 && !slices.Contains(ban.names, name) {
			continue
		}
		c.report(at, ban.why, "%s.%s", module, name)
	}
}

// localName returns the name of an import in a file: its alias, or the last element of
// its path that is not a version.
func localName(spec *ast.ImportSpec, imported string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	base := path.Base(imported)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(imported))
	}
	return base
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
}

func matches(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return within(tree, pkg)
	}
	ok, err := path.Match(pattern, pkg)
	return ok && err == nil
}

// within reports whether pkg is tree or below it.
func within(tree, pkg string) bool { return pkg == tree || strings.HasPrefix(pkg, tree+"/") }
