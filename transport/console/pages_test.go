package console_test

import (
	"net/http"
	"strings"
	"testing"

	"venuegate/transport/console/web"
)

// Pages have the policy of every answer, and one nonce each for their style elements.
func TestPolicyOfPages(t *testing.T) {
	h := open(t)
	nonces := map[string]bool{}
	for _, path := range []string{"", "/", "/keys", "/orders/ord_1"} {
		response, err := http.Get(h.url + web.Prefix + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		policy := response.Header.Get("Content-Security-Policy")
		_, rest, _ := strings.Cut(policy, "style-src 'self' 'nonce-")
		nonce, _, found := strings.Cut(rest, "'; ")
		if !found || len(nonce) != 22 || nonces[nonce] {
			t.Errorf("%s: policy %q, want a nonce of its own", path, policy)
		}
		nonces[nonce] = true
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy %q, want %s", path, policy, want)
			}
		}
		if got := response.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q, want no-store", path, got)
		}
	}
}

// A path of the API that is no call is not answered with a page.
func TestUnknownCallIsNoPage(t *testing.T) {
	h := open(t)
	h.browser().get(http.StatusNotFound, "/nonesuch")
}
