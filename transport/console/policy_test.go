package console_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/console"
)

func addr(text string) netip.Addr { return netip.MustParseAddr(text) }

// What a page of another site could make a browser send is refused, and changes nothing.
func TestRequestsOfOtherPagesAreRefused(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	own := b.url
	for name, tt := range map[string]struct {
		headers map[string]string
		status  int
	}{
		"own page":                     {nil, http.StatusOK},
		"own origin alone":             {map[string]string{"Sec-Fetch-Site": "", "Origin": own}, http.StatusOK},
		"neither site nor origin":      {map[string]string{"Sec-Fetch-Site": ""}, http.StatusForbidden},
		"another site":                 {map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"another origin of the site":   {map[string]string{"Sec-Fetch-Site": "same-site"}, http.StatusForbidden},
		"typed by the user":            {map[string]string{"Sec-Fetch-Site": "none"}, http.StatusForbidden},
		"another site, own origin":     {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": own}, http.StatusForbidden},
		"another origin":               {map[string]string{"Sec-Fetch-Site": "", "Origin": "https://evil.example"}, http.StatusForbidden},
		"an opaque origin":             {map[string]string{"Sec-Fetch-Site": "", "Origin": "null"}, http.StatusForbidden},
		"no mark":                      {map[string]string{"X-Console": ""}, http.StatusForbidden},
		"a form":                       {map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, http.StatusBadRequest},
		"text":                         {map[string]string{"Content-Type": "text/plain"}, http.StatusBadRequest},
		"no type":                      {map[string]string{"Content-Type": ""}, http.StatusBadRequest},
		"another host":                 {map[string]string{"Host": "evil.example"}, http.StatusMisdirectedRequest},
		"another host, same in origin": {map[string]string{"Host": "evil.example", "Sec-Fetch-Site": "", "Origin": "http://evil.example"}, http.StatusMisdirectedRequest},
	} {
		request := b.request(http.MethodPatch, "/preferences", map[string]any{"shortcuts": false})
		for header, value := range tt.headers {
			request.Header.Set(header, value)
			if value == "" {
				request.Header.Del(header)
			}
			if header == "Host" {
				request.Host = value
			}
		}
		if a := b.send(request); a.status != tt.status {
			t.Errorf("%s: status %d, want %d: %s", name, a.status, tt.status, a.text)
		}
		changed := must(h.store.User(t.Context(), "ann")).Preferences.NoShortcuts
		if want := tt.status == http.StatusOK; changed != want {
			t.Errorf("%s: changed %v, want %v", name, changed, want)
		}
		b.call(http.StatusOK, http.MethodPatch, "/preferences", map[string]any{"shortcuts": true})
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	h := open(t, func(o *console.Options) { o.URL = "https://trade.example:8443" })
	b := h.user("ann", persistence.RoleOwner)
	cookie := b.cookie
	if cookie.Name != "__Host-vg" || !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("cookie = %+v, want __Host-vg; Secure; HttpOnly; SameSite=Strict; Path=/", cookie)
	}
	for _, a := range []answer{
		b.get(http.StatusOK, "/session"), b.get(http.StatusNotFound, "/nothing"), b.get(http.StatusNotFound, "/keys/x"),
		h.browser().get(http.StatusUnauthorized, "/keys"), b.get(http.StatusOK, "/journal/export"),
	} {
		for header, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' wss://trade.example:8443; " +
				"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default",
		} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s = %q, want %q", header, got, want)
			}
		}
		if got := a.header.Get("Permissions-Policy"); !strings.Contains(got, "camera=()") || !strings.Contains(got, "clipboard-write=(self)") {
			t.Errorf("Permissions-Policy = %q, want no camera, and clipboard-write for the console", got)
		}
	}
}

func TestCookieWithoutTLS(t *testing.T) {
	b := open(t).user("ann", persistence.RoleOwner)
	if b.cookie.Name != "vg" || b.cookie.Secure || !b.cookie.HttpOnly || b.cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("cookie = %+v, want vg; HttpOnly; SameSite=Strict", b.cookie)
	}
	b.call(http.StatusOK, http.MethodDelete, "/session", nil)
	if b.cookie.Value != "" || b.cookie.Expires.Year() != 1970 {
		t.Errorf("cookie after signing out = %+v, want none", b.cookie)
	}
}

func TestPreferencesAreChecked(t *testing.T) {
	b := open(t).user("ann", persistence.RoleViewer)
	if a := b.get(http.StatusOK, "/preferences"); a.text != `{"zone":"","density":"usual","shortcuts":true}` {
		t.Errorf("preferences = %s, want the usual ones", a.text)
	}
	for _, body := range []map[string]any{{"zone": "<b>"}, {"density": "x"}, {"theme": "dark"}} {
		b.call(http.StatusBadRequest, http.MethodPatch, "/preferences", body)
	}
	b.call(http.StatusOK, http.MethodPatch, "/preferences", map[string]any{"zone": "America/Argentina/Ushuaia"})
	b.call(http.StatusOK, http.MethodPatch, "/preferences", map[string]any{"density": "dense"})
	if a := b.get(http.StatusOK, "/preferences"); a.text != `{"zone":"America/Argentina/Ushuaia","density":"dense","shortcuts":true}` {
		t.Errorf("preferences = %s, want both changes", a.text)
	}
}
