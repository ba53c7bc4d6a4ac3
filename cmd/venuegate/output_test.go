package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"venuegate/transport/registry"
)

// TestListsInEveryFormat lists customers in each format of the output, where it is not a
// terminal.
func TestListsInEveryFormat(t *testing.T) {
	s := sharedService(t)
	whole := s.customer()
	list := func(args ...string) string {
		t.Helper()
		status, out, errText := run(t.Context(), append([]string{"customers", "list", "--data", s.dir}, args...)...)
		if status != exitOK {
			t.Fatalf("customers list %q: status %d, want %d: %s", args, status, exitOK, errText)
		}
		return out
	}
	var one registry.Customer
	if out := list(); json.Unmarshal([]byte(out), &one) != nil || one.ID != whole || strings.Count(out, "\n") != 1 {
		t.Errorf("default where piped = %q, want a line with the object of %s", out, whole)
	}
	var all []registry.Customer
	if out := list("-o", "json"); json.Unmarshal([]byte(out), &all) != nil || len(all) != 1 || all[0] != one {
		t.Errorf("json = %q, want a list with %+v", out, one)
	}
	for _, c := range []struct {
		args []string
		want int
	}{{[]string{"-o", "csv"}, 2}, {[]string{"-o", "csv", "--no-headers"}, 1}} {
		rows, err := csv.NewReader(strings.NewReader(list(c.args...))).ReadAll()
		if err != nil || len(rows) != c.want || rows[c.want-1][0] != whole {
			t.Errorf("%q: rows = %q, error %v, want %d, the last one with %s", c.args, rows, err, c.want, whole)
		}
	}
	if out := list("-o", "table"); strings.Contains(out, whole) || !strings.Contains(out, "\n"+whole[:8]) {
		t.Errorf("table\n%s\nwant a short form of %s", out, whole)
	}
	if out := list("-q"); out != whole+"\n" {
		t.Errorf("-q = %q, want %q", out, whole)
	}
	made := s.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"third"}`, whole)).text("id")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"hooks", "list", "--customer", whole[:len(whole)-3], "-q"}, exitOK, made + "\n"},
		{[]string{"hooks", "show", made[:len(made)-3], "-q"}, exitOK, made + "\n"},
		{[]string{"hooks", "show", made, "-o", "table"}, exitOK, "rules.maxQty"},
		{[]string{"hooks", "list", "-o", "json"}, exitOK, `"id": "` + made + `"`},
		{[]string{"accounts", "limits", whole[:10] + ":okx", "-q"}, exitOK, whole + ":okx\n"},
		{[]string{"hooks", "show", made[:9]}, exitFailed, "`" + made[:9] + "` is ambiguous; it may be hook_"},
		{[]string{"hooks", "show", "hook_ZZZZ"}, exitFailed, "no id in hooks begins with `hook_ZZZZ`"},
		{[]string{"customers", "disable", "cus_"}, exitFailed, "`cus_` is too short for an id"},
		{[]string{"journal", "list", "--kind", "admin.hook", "-q", "--limit", "1"}, exitOK, "jrn_"},
	} {
		status, out, errText := run(t.Context(), append(c.args, "--data", s.dir)...)
		if status != c.status || !strings.Contains(out+errText, c.want) {
			t.Errorf("%q: status %d with %q, want %d with %q", c.args, status, out+errText, c.status, c.want)
		}
	}
}

func TestShortIDsDiffer(t *testing.T) {
	const a, b, c = "cus_01AAAAAAAAAAAAAAAAAAAAAAA1", "cus_01AAAAAAAAAAAAAAAAAAAAAAA2", "hook_01BBBBBBBBBBBBBBBBBBBBBBB1"
	got := shortenIDs([][]string{{"ID", "CUSTOMER"}, {c, a}, {a + ":okx", b}, {"ord_01BBBBBBBBBBBBBBBBBBBBBBB1", "-"}})
	want := [][]string{{"ID", "CUSTOMER"}, {"hook_01BBBBB", a}, {a + ":okx", b}, {"ord_01BBBBBBBBBBBBBBBBBBBBBBB1", "-"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("shortened = %q, want %q", got, want)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"listen", "adminListen", "log.level", "log.format", "data"}
	for name, want := range map[string]string{
		"lisen": "listen", "LISTEN": "listen", "adminlistn": "adminListen", "log.levl": "log.level", "dat": "data", "dtaa": "data", "": "", "x": "", "retention": "",
	} {
		if got := nearest(name, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestTableHasNoEscapes checks that the text of a record cannot control the terminal.
func TestTableHasNoEscapes(t *testing.T) {
	var text strings.Builder
	rows := [][]string{{"NAME", "STATE"}, {"a\x1b]0;b\x07\nc", ""}}
	if err := (&output{Writer: &text}).printTable(rows); err != nil {
		t.Fatal(err)
	}
	if want := "NAME       STATE\na�]0;b��c  -\n"; text.String() != want {
		t.Errorf("table = %q, want %q", text.String(), want)
	}
}

// TestCSVHasNoFormulas checks that the text of a record is not evaluated by a spreadsheet
// program and cannot control the terminal, and that decimals and dashes stay.
func TestCSVHasNoFormulas(t *testing.T) {
	var text strings.Builder
	rows := [][]string{{"NAME", "QTY", "ERROR"}, {"=1+1", "-0.5", ""}, {"-", "+1", "a\x1b[2Jb"}}
	if err := (&output{Writer: &text}).printCSV(rows); err != nil {
		t.Fatal(err)
	}
	if want := "NAME,QTY,ERROR\n'=1+1,-0.5,\n'-,+1,a [2Jb\n"; text.String() != want {
		t.Errorf("csv = %q, want %q", text.String(), want)
	}
}
