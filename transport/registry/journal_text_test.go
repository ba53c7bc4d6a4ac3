package registry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// A text is searched in all members and values, over any number of rows, page by page; an export
// has the same rows.
func TestJournalIsSearchedByText(t *testing.T) {
	in := newInstallation(t)
	ctx, began := t.Context(), time.Now().Add(time.Hour)
	var want []string
	for i := range 2500 {
		row := persistence.JournalEntry{
			ID: fmt.Sprintf("jrn_%04d", i), At: venues.At(began.Add(time.Duration(i) * time.Second)), Kind: "order", Subject: "ord_1",
			Fields: []persistence.JournalField{{Name: "reason", Value: "ordinary"}},
		}
		if i%500 == 7 {
			row.Fields = append(row.Fields, persistence.JournalField{Name: "note", Value: "Margin Call"})
			want = append(want, row.ID)
		}
		if err := in.service.Put(ctx, made(in.store.Channels(ctx, in.alice))[0], row); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(want)
	view := in.For(in.alice, registry.Author{})
	var got []string
	pages := 0
	for f := (registry.JournalFilter{Text: "margin c", Limit: 2}); ; pages++ {
		page := made(view.Journal.List(ctx, f))
		if len(page.Items) > f.Limit {
			t.Errorf("page of %d rows, want at most %d", len(page.Items), f.Limit)
		}
		for _, row := range page.Items {
			got = append(got, row.ID)
		}
		if page.NextCursor == nil {
			break
		}
		f.Cursor = *page.NextCursor
	}
	if !slices.Equal(got, want) || pages < 2 {
		t.Errorf("rows = %q on %d pages, want %q on more than one", got, pages+1, want)
	}
	var lines strings.Builder
	write := made(view.Journal.Export(ctx, registry.JournalFilter{Text: "MARGIN"}, registry.FormatLines))
	if err := write(&lines); err != nil || strings.Count(lines.String(), "\n") != len(want) {
		t.Errorf("export = %s, %v, want %d rows", lines.String(), err, len(want))
	}
}
