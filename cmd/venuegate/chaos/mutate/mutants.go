package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutant is a change of one place of a source file, whose bytes from begin to end are
// replaced.
type mutant struct {
	// file is a path below the root of the module, with slashes.
	file, content string
	begin, end    int
	replacement   string
}

func (m mutant) line() int { return 1 + strings.Count(m.content[:m.begin], "\n") }

// changed returns the content of the file with the change.
func (m mutant) changed() string {
	return m.content[:m.begin] + m.replacement + m.content[m.end:]
}

// String returns the file and its line before and after the change. It identifies the
// mutant while the text of the line is the same.
func (m mutant) String() string {
	start := strings.LastIndexByte(m.content[:m.begin], '\n') + 1
	before, _, _ := strings.Cut(m.content[start:], "\n")
	after, _, _ := strings.Cut(m.changed()[start:], "\n")
	return strings.TrimSpace(m.file + ": " + strings.TrimSpace(before) + " => " + strings.TrimSpace(after))
}

// mutantsOf returns the mutants of places below root, in order. A place is the directory of a
// package, a file, or a line of a file such as a/b.go:12.
func mutantsOf(root string, places []string) (found []mutant, err error) {
	for _, place := range places {
		place, line, hasLine := strings.Cut(place, ":")
		pattern := path.Join(place, "*.go")
		if strings.HasSuffix(place, ".go") {
			pattern = place
		}
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("%s has no source", place)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			content, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			mutants, err := mutantsIn(path.Join(path.Dir(pattern), filepath.Base(name)), string(content))
			if err != nil {
				return nil, err
			}
			if hasLine {
				mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return strconv.Itoa(m.line()) != line })
			}
			found = append(found, mutants...)
		}
	}
	return found, nil
}

// mutantsIn returns the mutants of one file.
func mutantsIn(file, content string) ([]mutant, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &scanner{file: file, content: content, start: parsed.FileStart}
	ast.Inspect(parsed, s.visit)
	return s.found, nil
}

// scanner collects the mutants of a file.
type scanner struct {
	file, content string
	start         token.Pos
	found         []mutant
}

// replace adds the mutant in which the source from one position to another is replaced.
func (s *scanner) replace(from, to token.Pos, replacement string) {
	s.found = append(s.found, mutant{s.file, s.content, int(from - s.start), int(to - s.start), replacement})
}

func (s *scanner) source(n ast.Node) string { return s.content[n.Pos()-s.start : n.End()-s.start] }

// operators are the binary operators that replace another one.
var operators = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

// identifiers are those that replace another one.
var identifiers = map[string]string{"true": "false", "false": "true", "min": "max", "max": "min"}

// texts matches the functions whose arguments are texts for people, which are not changed.
var texts = regexp.MustCompile(`(?i)\b(zap|log|logger)\b|Errorf$|errors\.New$|^panic$`)

// visit adds the mutants of a node and reports whether there are others below it.
func (s *scanner) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.CallExpr:
		return !texts.MatchString(s.source(n.Fun))
	case *ast.BinaryExpr:
		if to, known := operators[n.Op]; known {
			s.replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String())
		}
	case *ast.Ident:
		if to, known := identifiers[n.Name]; known {
			s.replace(n.Pos(), n.End(), to)
		}
	case *ast.IfStmt:
		s.decide(n.Cond)
	case *ast.CaseClause:
		for _, e := range n.List {
			switch e.(type) {
			case *ast.BinaryExpr, *ast.UnaryExpr, *ast.CallExpr:
				s.decide(e)
			}
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 && s.source(n.Results[len(n.Results)-1]) == "err" {
			s.replace(n.End()-token.Pos(len("err")), n.End(), "nil")
		}
	case *ast.ExprStmt:
		if call, is := n.X.(*ast.CallExpr); !is || !texts.MatchString(s.source(call.Fun)) {
			s.replace(n.Pos(), n.End(), "")
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			s.replace(n.Pos(), n.End(), "")
		}
	case *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.BranchStmt:
		s.replace(n.Pos(), n.End(), "")
	}
	return true
}

// decide adds the mutants in which a condition never or always holds. The condition stays,
// so that its variables are used.
func (s *scanner) decide(e ast.Expr) {
	s.replace(e.Pos(), e.End(), "false && ("+s.source(e)+")")
	s.replace(e.Pos(), e.End(), "true || ("+s.source(e)+")")
}
