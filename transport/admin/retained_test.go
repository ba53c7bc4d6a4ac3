package admin_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/transport/reusetest"
)

// retainingStore retains the arguments of its calls.
type retainingStore struct {
	registry.Store
	*reusetest.Retained
}

func (r retainingStore) Customer(ctx context.Context, id string) (persistence.Customer, error) {
	r.Retain("customer", id)
	return r.Store.Customer(ctx, id)
}

func (r retainingStore) APIKey(ctx context.Context, id string) (persistence.APIKey, error) {
	r.Retain("key", id)
	return r.Store.APIKey(ctx, id)
}

func (r retainingStore) APIKeys(ctx context.Context, customer string) ([]persistence.APIKey, error) {
	r.Retain("keys", customer)
	return r.Store.APIKeys(ctx, customer)
}

func (r retainingStore) Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error) {
	r.Retain("journal", q)
	return r.Store.Journal(ctx, q)
}

func (r retainingStore) Commit(ctx context.Context, b persistence.Batch) error {
	r.Retain("commit", b)
	return r.Store.Commit(ctx, b)
}

// Arguments of the store must not point into the memory of a request.
func TestRetainedDataDoesNotChange(t *testing.T) {
	var retained reusetest.Retained
	h := open(t, func(o *registry.Options) { o.Store = retainingStore{o.Store, &retained} })
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
	retained.Check(t, "customer", "key", "keys", "journal", "commit")
}
