package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"venuegate/transport/registry"
)

// A list of the administration API may have pages that are not full: the command line reads them
// until it has as many records as are wanted.
func TestListsAreReadPageByPage(t *testing.T) {
	pages := map[string]string{
		"":       `{"items":[],"nextCursor":"second"}`,
		"second": `{"items":[{"id":"jrn_1"}],"nextCursor":"third"}`,
		"third":  `{"items":[{"id":"jrn_2"}],"nextCursor":"fourth"}`,
	}
	var queries []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		queries = append(queries, q.Get("kind")+" "+q.Get("limit")+" "+q.Get("cursor"))
		fmt.Fprint(w, pages[q.Get("cursor")])
	}))
	t.Cleanup(server.Close)
	c := &adminClient{url: server.URL, http: server.Client()}
	rows, err := readPages[registry.Row](t.Context(), c, "/admin/v1/journal", url.Values{"kind": {"order"}}, 2)
	if err != nil || len(rows) != 2 || rows[1].ID != "jrn_2" {
		t.Errorf("rows = %v, %v, want jrn_1 and jrn_2", rows, err)
	}
	if want := []string{"order 2 ", "order 2 second", "order 1 third"}; !slices.Equal(queries, want) {
		t.Errorf("queries = %q, want %q", queries, want)
	}
}
