package admin_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
)

func TestFilesAreReadAfterTheEndpointIsRemoved(t *testing.T) {
	dir := t.TempDir()
	h := open(t, func(o *registry.Options) { o.Files = registrytest.Folder(dir) })
	if err := os.WriteFile(filepath.Join(dir, "trades (2).xlsx"), []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	customer := h.call(http.StatusCreated, "POST", "/admin/v1/customers", `{"name":"one"}`).id()
	book := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", `{"customer":"`+customer+`","kind":"file","target":"trades.xlsx"}`).id()
	post := h.call(http.StatusCreated, "POST", "/admin/v1/endpoints", `{"customer":"`+customer+`","url":"https://example.com/"}`).id()
	list, _ := h.call(http.StatusOK, "GET", "/admin/v1/endpoints/"+book+"/files", "").field("items").([]any)
	if len(list) != 1 || list[0].(map[string]any)["name"] != "trades (2).xlsx" || list[0].(map[string]any)["sizeBytes"] != 2.0 {
		t.Errorf("files = %v, want trades (2).xlsx of 2 bytes", list)
	}
	if removed := h.call(http.StatusOK, "DELETE", "/admin/v1/endpoints/"+book, ""); removed.field("removedAt") == nil { // its files are kept
		t.Errorf("removed endpoint = %s, want removedAt", removed.text)
	}
	got := h.call(http.StatusOK, "GET", "/admin/v1/endpoints/"+book+"/files/trades%20%282%29.xlsx", "")
	if got.text != "PK" || got.header.Get("Content-Disposition") != `attachment; filename="trades (2).xlsx"` {
		t.Errorf("file = %q with header %v, want PK as an attachment", got.text, got.header)
	}
	h.call(http.StatusNotFound, "GET", "/admin/v1/endpoints/"+book+"/files/other.xlsx", "")
	h.call(http.StatusBadRequest, "GET", "/admin/v1/endpoints/"+post+"/files", "")
	h.call(http.StatusNotFound, "GET", "/admin/v1/endpoints/nonesuch/files", "")
}
