package admin_test

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"venuegate/persistence"
)

// folder serves the files of a directory, whatever the endpoint.
type folder string

func (f folder) Files(context.Context, persistence.Endpoint) (list []fs.FileInfo, err error) {
	entries, err := os.ReadDir(string(f))
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	return list, err
}

func (f folder) Open(_ context.Context, _ persistence.Endpoint, name string) (*os.File, error) {
	return os.Open(filepath.Join(string(f), filepath.Base(name)))
}

func TestFilesOfAnEndpoint(t *testing.T) {
	h := open(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "trades (2).xlsx"), []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.registry.Files = folder(dir)
	customer := h.call(http.StatusCreated, "POST", "/admin/v1/customers", `{"name":"one"}`).id()
	book := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", `{"customer":"`+customer+`","kind":"file","target":"trades.xlsx"}`).id()
	post := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", `{"customer":"`+customer+`","url":"https://example.com/"}`).id()
	list, _ := h.call(http.StatusOK, "GET", "/admin/v1/endpoints/"+book+"/files", "").field("items").([]any)
	if len(list) != 1 || list[0].(map[string]any)["name"] != "trades (2).xlsx" || list[0].(map[string]any)["sizeBytes"] != 2.0 {
		t.Errorf("files %v", list)
	}
	if removed := h.call(http.StatusOK, "DELETE", "/admin/v1/endpoints/"+book, ""); removed.field("removedAt") == nil { // what it wrote is there still
		t.Errorf("the answer does not say that it is removed: %s", removed.text)
	}
	got := h.call(http.StatusOK, "GET", "/admin/v1/endpoints/"+book+"/files/trades%20%282%29.xlsx", "")
	if got.text != "PK" || got.header.Get("Content-Disposition") != `attachment; filename="trades (2).xlsx"` {
		t.Errorf("%q %v", got.text, got.header)
	}
	h.call(http.StatusNotFound, "GET", "/admin/v1/endpoints/"+book+"/files/other.xlsx", "")
	h.call(http.StatusBadRequest, "GET", "/admin/v1/endpoints/"+post+"/files", "")
	h.call(http.StatusNotFound, "GET", "/admin/v1/endpoints/nonesuch/files", "")
}
