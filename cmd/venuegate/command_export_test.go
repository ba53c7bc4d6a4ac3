package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"venuegate/transport/api"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// export runs venuegate export and returns what it writes.
func export(t *testing.T, args ...string) string {
	t.Helper()
	status, out, complaint := run(t.Context(), append([]string{"export"}, args...)...)
	if status != exitOK {
		t.Fatalf("export %s: status %d, want 0: %s", strings.Join(args, " "), status, complaint)
	}
	return out
}

// readCSV returns the rows of a CSV text by column.
func readCSV(t *testing.T, text string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("%d lines, %v, want a header: %s", len(lines), err, text)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, value := range line {
			row[lines[0][i]] = value
		}
		rows = append(rows, row)
	}
	return rows
}

// Every order and fill is exported with the values that the interface has.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir)
	comment := "=1+1, \"quoted\"\nnext line"
	for i, order := range []string{
		`"type":"market","qty":"0.01","stopLoss":"50000"`,
		fmt.Sprintf(`"type":"limit","qty":"0.003","price":"50000.1","comment":%q`, comment),
	} {
		placed := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","requestId":"x%d",%s}`, i, order))
		if i == 0 {
			s.order(placed.text("orderId"), "filled")
		}
	}
	// The export and the reading that it is compared with are two, so no order may change between them.
	eventually(t, "the order that protects the position, at the venue", func() bool {
		orders := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all&exchange=binance", "").items()
		return len(orders) == 3 && !slices.ContainsFunc(orders, func(r record) bool { return r.text("status") == "pending" })
	})
	for kind, c := range map[string]struct{ path, inner string }{
		"orders": {"/v1/orders?status=all&exchange=binance", "protection.stopLoss.price"}, "fills": {"/v1/fills?exchange=binance", ""},
	} {
		want := s.trade(http.StatusOK, http.MethodGet, c.path, "").items()
		rows := readCSV(t, export(t, kind, "--data", dir, "--exchange", "binance"))
		var lines []record
		for line := range strings.Lines(export(t, kind, "--data", dir, "--exchange", "binance", "--format", "jsonl")) {
			var r record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			lines = append(lines, r)
		}
		if len(want) == 0 || len(rows) != len(want) || len(lines) != len(want) {
			t.Fatalf("%s: %d rows and %d lines, want %d", kind, len(rows), len(lines), len(want))
		}
		if _, cells := openWorkbook(t, []byte(export(t, kind, "--data", dir, "--exchange", "binance", "--format", "xlsx"))); len(cells) != len(want)+1 {
			t.Errorf("%s: %d rows in the workbook, want %d and the columns", kind, len(cells), len(want))
		}
		for i, r := range want {
			for name, value := range r {
				if _, isObject := value.(map[string]any); isObject {
					continue
				}
				text := ""
				if value != nil {
					text = fmt.Sprint(value)
				}
				csvText := text
				if kindOfColumn(name) == columnText {
					csvText = registry.WithoutFormulas(text)
				}
				if rows[i][name] != csvText || fmt.Sprint(lines[i][name]) != fmt.Sprint(value) && value != nil {
					t.Errorf("%s %d: %s = %q and %v, want %v", kind, i, name, rows[i][name], lines[i][name], value)
				}
			}
		}
		if c.inner != "" && !slices.ContainsFunc(rows, func(r map[string]string) bool { return r[c.inner] == "50000" && r["protection"] == "" }) {
			t.Errorf("%s: rows = %v, want one with %s", kind, rows, c.inner)
		}
	}
}

// listServer serves two pages for each list. It answers the first request 429.
func listServer(t *testing.T) (address string, queries *[]url.Values) {
	queries = &[]url.Values{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*queries = append(*queries, r.URL.Query())
		if r.Header.Get("Authorization") != "Bearer k" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if len(*queries) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next := `"second"`
		if r.URL.Query().Get("cursor") != "" {
			next = "null"
		}
		fmt.Fprintf(w, `{"items":[%s],"nextCursor":%s}`, api.AppendFill(nil, &venues.Fill{FillID: fmt.Sprint("fil_", len(*queries))}), next)
	}))
	t.Cleanup(server.Close)
	return server.URL, queries
}

// An export reads all pages of all periods, and waits when it is limited.
func TestExportReadsEveryPage(t *testing.T) {
	address, queries := listServer(t)
	rows := readCSV(t, export(t, "fills", "--url", address, "--key", "k", "--from", "2026-01-01", "--to", "2026-03-01T12:00:00Z"))
	if len(rows) != 4 || rows[0]["fillId"] != "fil_2" || rows[3]["fillId"] != "fil_5" {
		t.Errorf("rows = %v, want those of two pages of two periods", rows)
	}
	var periods []string
	for _, q := range *queries {
		periods = append(periods, q.Get("from")+" "+q.Get("to")+" "+q.Get("cursor"))
	}
	first, second := "2026-01-29T12:00:00Z 2026-03-01T12:00:00Z ", "2026-01-01T00:00:00Z 2026-01-29T12:00:00Z "
	if want := []string{first, first, first + "second", second, second + "second"}; !slices.Equal(periods, want) {
		t.Errorf("queries = %q, want %q", periods, want)
	}
}

func TestExportFailsLoudly(t *testing.T) {
	address, _ := listServer(t)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"orders", "--url", address, "--key", "another"}, exitFailed, "incomplete after 0 orders"},
		{[]string{"fills", "--url", address, "--key", "k", "--from", "yesterday"}, exitFailed, "such as 2026-11-20"},
		{[]string{"fills", "--url", address, "--key", "k", "--format", "ods"}, exitUsage, "must be csv, jsonl or xlsx"},
	} {
		if status, _, complaint := run(t.Context(), append([]string{"export"}, c.args...)...); status != c.status || !strings.Contains(complaint, c.want) {
			t.Errorf("export %q: status %d, %s, want %d with %q", c.args, status, complaint, c.status, c.want)
		}
	}
}
