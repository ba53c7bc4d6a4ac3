package hooks_test

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"venuegate/transport/api"
	"venuegate/transport/hooks"
	"venuegate/transport/signing"
)

func TestRoutesAreDocumentedWithTheirHeaders(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	headers := signing.NewHeaders("")
	for path, names := range map[string]string{
		hooks.WebhookPath: "hookId " + headers.Signature + " " + headers.Timestamp,
		hooks.ChartPath:   "id",
	} {
		parts := strings.Split(path, ":")
		item := doc.Paths.Find(parts[0] + "{" + parts[1] + "}")
		if item == nil || item.Post == nil || item.Post.Extensions["x-edge"] != "hooks" {
			t.Fatalf("%s: not documented as a route of hooks, want it to be", path)
		}
		var documented []string
		for _, p := range item.Post.Parameters {
			documented = append(documented, p.Value.Name)
		}
		if got := strings.Join(documented, " "); got != names {
			t.Errorf("%s: documented parameters = %q, want %q", path, got, names)
		}
	}
}
