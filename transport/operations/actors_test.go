package operations_test

import (
	"fmt"
	"testing"

	"venuegate/transport/operations"
	"venuegate/venues"
)

// Of too many actors the report has those that wait and fail, with their ancestors, and the
// number of all.
func TestActorsAreBounded(t *testing.T) {
	all := []operations.Actor{{Path: "zy/1"}, {Path: "zy/1/account/okx", Parent: "zy/1", Waiting: 3}, {Path: "zz", Failures: 1}}
	for n := range 2 * operations.ActorsMax {
		all = append(all, operations.Actor{Path: fmt.Sprintf("idle/%05d", n)})
	}
	got := operations.NewActors(venues.Time{}, all)
	if got.Total != 2*operations.ActorsMax+3 || len(got.Items) != operations.ActorsMax+1 {
		t.Errorf("%d actors of %d, want %d of %d", len(got.Items), got.Total, operations.ActorsMax+1, 2*operations.ActorsMax+3)
	}
	found := map[string]int{}
	for _, a := range got.Items {
		found[a.Path]++
	}
	for _, path := range []string{"zy/1", "zy/1/account/okx", "zz", "idle/00000"} {
		if found[path] != 1 {
			t.Errorf("%s is in the report %d times, want once", path, found[path])
		}
	}
}
