package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentationInABrowser looks for an operation as a reader does, places an order in the
// form of the reference, and checks what the page has loaded, stored and called meanwhile.
func TestDocumentationInABrowser(t *testing.T) {
	s := startService(t, t.TempDir())
	page := openPage(t)
	page.open(s.demo.BaseURL + "/docs")
	page.evaluate(`(document.querySelector("input[type=search]").value = "place an order", document.querySelector("header form").requestSubmit())`)
	page.wait(`location.pathname === "/docs/search"`)
	page.wait(`[...document.querySelectorAll(".results a")].find(a => a.getAttribute("href") === "/docs/reference#/Orders/placeOrder")?.click() ?? location.pathname === "/docs/reference"`)

	const operation = "#operations-Orders-placeOrder"
	page.wait(`document.querySelector("` + operation + ` .try-out__btn")`) // open, by its address
	for _, language := range []string{"curl", "Python", "TypeScript"} {
		page.wait(fmt.Sprintf("[...document.querySelectorAll(%q)].some(e => e.textContent === %q)", operation+" details summary", language))
	}
	page.click(".auth-wrapper .authorize")
	page.wait(fmt.Sprintf(`(() => {
		const input = document.querySelector(".modal-ux input");
		Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, %q);
		return input.dispatchEvent(new Event("input", {bubbles: true}));
	})()`, s.demo.APIKey))
	page.click(".modal-ux .authorize")
	page.click(".modal-ux .close-modal")
	page.click(operation + " .try-out__btn")
	page.click(operation + " .execute")
	page.wait(`document.querySelector("` + operation + ` .live-responses-table .response-col_status")`)
	if status := page.evaluate(`document.querySelector("` + operation + ` .live-responses-table .response .response-col_status").textContent`); !strings.HasPrefix(status, "201") {
		t.Errorf("status of the order = %q, want 201", status)
	}
	if orders := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all", "").items(); len(orders) != 1 || orders[0].text("symbol") != "BTCUSDT" {
		t.Errorf("orders = %v, want the one of the page", orders)
	}

	if got := page.evaluate(`violations.join()`); got != "" {
		t.Errorf("the policy has blocked %s, want nothing", got)
	}
	if got := page.evaluate(`localStorage.length + " " + sessionStorage.length + " " + document.cookie`); got != "0 0 " {
		t.Errorf("stored = %q, want nothing", got)
	}
	if got := page.evaluate(`location.href`); strings.Contains(got, s.demo.APIKey) {
		t.Errorf("location = %s, want no key in it", got)
	}
	for _, url := range page.requests {
		if !strings.HasPrefix(url, s.demo.BaseURL+"/") && !strings.HasPrefix(url, "data:") {
			t.Errorf("request of %s, want none of another origin", url)
		}
	}
	if !strings.Contains(strings.Join(page.requests, " "), s.demo.BaseURL+"/v1/orders") {
		t.Errorf("requests = %v, want the order among them", page.requests)
	}
	if got := page.evaluate(fmt.Sprintf(`(fetch(%q).catch(() => violations.push("rejected")), "sent")`, s.demo.AdminURL+"/healthz")); got != "sent" {
		t.Fatal(got)
	}
	page.wait(`violations.some(v => v.startsWith("connect-src")) && violations.includes("rejected")`)
}

// TestDocumentationOnAPhone opens every page at the width of a phone: none is wider.
func TestDocumentationOnAPhone(t *testing.T) {
	s := startService(t, t.TempDir())
	page := openPage(t)
	page.call("Emulation.setDeviceMetricsOverride", record{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true})
	page.open(s.demo.BaseURL + "/docs")
	paths := strings.Fields(page.evaluate(`[...document.querySelectorAll("nav a")].map(a => a.getAttribute("href")).join(" ")`))
	for _, path := range append(paths, "/docs/search?q=order", "/docs/reference#/Orders/placeOrder") {
		page.open(s.demo.BaseURL + path)
		if strings.HasPrefix(path, "/docs/reference") {
			page.wait(`document.querySelector("#operations-Orders-placeOrder")`)
		}
		if strings.Contains(path, "#") {
			page.wait(`document.querySelector("#operations-Orders-placeOrder .responses-table")`)
		}
		if got := page.evaluate(`document.documentElement.scrollWidth`); got != "390" {
			t.Errorf("width of %s = %s, want 390", path, got)
		}
		if got := page.evaluate(`violations.join()`); got != "" {
			t.Errorf("%s: the policy has blocked %s, want nothing", path, got)
		}
	}
}

// The documents name the headers as this service is configured.
func TestDocumentationOfTheHeaders(t *testing.T) {
	t.Setenv("VENUEGATE_HEADER_PREFIX", "X-Acme")
	s := startService(t, t.TempDir())
	for _, path := range []string{"/openapi.yaml", "/docs/signals"} {
		_, body := get(t, s.demo.BaseURL+path)
		if !strings.Contains(body, "X-Acme-Signature") || strings.Contains(body, "X-Service-Signature") {
			t.Errorf("%s names X-Acme-Signature: %t, X-Service-Signature: %t, want only the first",
				path, strings.Contains(body, "X-Acme-Signature"), strings.Contains(body, "X-Service-Signature"))
		}
	}
}

// TestSamplesWithCurl runs the samples of the documentation with the variables of `demo env`.
func TestSamplesWithCurl(t *testing.T) {
	for _, program := range []string{"bash", "openssl", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	s := startService(t, t.TempDir())
	_, env, _ := run(t.Context(), "demo", "env", "--data", s.dir)
	samples := filepath.Join("..", "..", "transport", "docs", "samples", "curl.sh")
	out, err := exec.CommandContext(t.Context(), "bash", "-euc", env+"exec bash "+samples).CombinedOutput()
	if err != nil {
		t.Fatalf("samples: %v, want success\n%s", err, out)
	}
	for _, want := range []string{`"requestId":"my-first-order"`, `"price":"60100"`, `"status":"cancelled"`, `"requestId":"signal-1"`, `"status":"filled"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("output lacks %s:\n%s", want, out)
		}
	}
}
