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

// serve has a handler keep what it is given of a request, of each mark.
func serve(t *testing.T, config fiber.Config, keep func(kept *reusetest.Kept, c *fiber.Ctx)) *reusetest.Kept {
	t.Helper()
	var kept reusetest.Kept
	config.DisableStartupMessage = true
	app := fiber.New(config)
	app.Post("/kept/:id", func(c *fiber.Ctx) error {
		keep(&kept, c)
		return nil
	})
	for mark := range reusetest.Marks() {
		request := httptest.NewRequest(http.MethodPost, "/kept/"+mark+"?q="+mark, strings.NewReader(mark))
		request.Header.Set("X-Mark", mark)
		answered, err := app.Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answered.Body)
		_ = answered.Body.Close()
	}
	return &kept
}

func keepAll(kept *reusetest.Kept, c *fiber.Ctx) {
	kept.Keep("path", c.Params("id"))
	kept.Keep("query", c.Query("q"))
	kept.Keep("header", c.Get("X-Mark"))
	kept.Keep("body", c.Request().Body())
}

// What points into a request is found each time, wherever in it.
func TestFindsWhatIsKept(t *testing.T) {
	want := []string{"body", "header", "path", "query"}
	for range 20 {
		kept := serve(t, fiber.Config{}, keepAll)
		if got := slices.Sorted(maps.Keys(kept.Changed())); !slices.Equal(got, want) {
			t.Fatalf("found %q, want %q", got, want)
		}
	}
}

func TestCopiesAreNotFound(t *testing.T) {
	kept := serve(t, fiber.Config{Immutable: true}, func(kept *reusetest.Kept, c *fiber.Ctx) {
		kept.Keep("path", c.Params("id"))
		kept.Keep("query", c.Query("q"))
		kept.Keep("header", c.Get("X-Mark"))
		kept.Keep("body", strings.Clone(string(c.Request().Body())))
	})
	kept.Check(t, "path", "query", "header", "body")
}
