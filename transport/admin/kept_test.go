package admin_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/transport/reusetest"
)

// keepingStore keeps what the administration asks for and commits.
type keepingStore struct {
	admin.Store
	*reusetest.Kept
}

func (k keepingStore) Customer(ctx context.Context, id string) (persistence.Customer, error) {
	k.Keep("customer", id)
	return k.Store.Customer(ctx, id)
}

func (k keepingStore) APIKey(ctx context.Context, id string) (persistence.APIKey, error) {
	k.Keep("key", id)
	return k.Store.APIKey(ctx, id)
}

func (k keepingStore) APIKeys(ctx context.Context, customer string) ([]persistence.APIKey, error) {
	k.Keep("keys", customer)
	return k.Store.APIKeys(ctx, customer)
}

func (k keepingStore) Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error) {
	k.Keep("journal", q)
	return k.Store.Journal(ctx, q)
}

func (k keepingStore) Commit(ctx context.Context, b persistence.Batch) error {
	k.Keep("commit", b)
	return k.Store.Commit(ctx, b)
}

// Nothing that the administration hands on points into the call that asked for
// it.
func TestKeptMemoryIsNotTheRequests(t *testing.T) {
	var kept reusetest.Kept
	h := open(t, func(o *admin.Options) { o.Store = keepingStore{o.Store, &kept} })
	id := h.customer("before")
	for _, r := range []struct {
		status             int
		method, path, body string
	}{
		{http.StatusCreated, "POST", "/admin/v1/customers", `{"name":"MARK"}`},
		{http.StatusOK, "PATCH", "/admin/v1/customers/" + id, `{"name":"MARK"}`},
		{http.StatusNotFound, "GET", "/admin/v1/customers/cus_MARK", ""},
		{http.StatusNotFound, "DELETE", "/admin/v1/keys/key_MARK", ""},
		{http.StatusOK, "GET", "/admin/v1/keys?customer=" + id, ""},
		{http.StatusOK, "GET", "/admin/v1/journal?subject=MARK", ""},
	} {
		for mark := range reusetest.Marks() {
			h.call(r.status, r.method, strings.ReplaceAll(r.path, "MARK", mark), strings.ReplaceAll(r.body, "MARK", mark))
		}
	}
	kept.Check(t, "customer", "key", "keys", "journal", "commit")
}
