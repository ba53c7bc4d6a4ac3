package reusetest_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/reusetest"
)

// serve sends a request for each mark to a handler that retains parts of it.
func serve(t *testing.T, config fiber.Config, retain func(retained *reusetest.Retained, c *fiber.Ctx)) *reusetest.Retained {
	t.Helper()
	var retained reusetest.Retained
	config.DisableStartupMessage = true
	app := fiber.New(config)
	app.Post("/kept/:id", func(c *fiber.Ctx) error {
		retain(&retained, c)
		return nil
	})
	for mark := range reusetest.Marks() {
		request := httptest.NewRequest(http.MethodPost, "/kept/"+mark+"?q="+mark, strings.NewReader(mark))
		request.Header.Set("X-Mark", mark)
		response, err := app.Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	return &retained
}

func retainAll(retained *reusetest.Retained, c *fiber.Ctx) {
	retained.Retain("path", c.Params("id"))
	retained.Retain("query", c.Query("q"))
	retained.Retain("header", c.Get("X-Mark"))
	retained.Retain("body", c.Request().Body())
}

// References are detected every time, in every part of a request.
func TestReferencesAreDetected(t *testing.T) {
	want := []string{"body", "header", "path", "query"}
	for range 20 {
		retained := serve(t, fiber.Config{}, retainAll)
		if got := slices.Sorted(maps.Keys(retained.Changed())); !slices.Equal(got, want) {
			t.Fatalf("changed = %q, want %q", got, want)
		}
	}
}

func TestCopiesAreNotReported(t *testing.T) {
	retained := serve(t, fiber.Config{Immutable: true}, func(retained *reusetest.Retained, c *fiber.Ctx) {
		retained.Retain("path", c.Params("id"))
		retained.Retain("query", c.Query("q"))
		retained.Retain("header", c.Get("X-Mark"))
		retained.Retain("body", strings.Clone(string(c.Request().Body())))
	})
	retained.Check(t, "path", "query", "header", "body")
}
