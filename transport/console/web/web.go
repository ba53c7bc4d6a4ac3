// Package web holds the built pages of the console and serves them.
//
// `.ci/console build` (a part of `make build`) builds them from src into dist with Node and
// npm; only a marker file of dist is committed, so that `go build` works without Node. A
// binary built without the pages serves one that says so.
//
// Names in assets have a digest of the content: they are served for a year, compressed as
// they were built. index.html is written for each response, because its style elements
// need the nonce of the response's Content-Security-Policy. Every other path below the
// prefix is a page of the application and gets index.html too.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Prefix is the path that the pages are built for.
const Prefix = "/console"

// assetCaching holds for files whose name changes with their content.
const assetCaching = "public, max-age=31536000, immutable"

//go:embed all:dist
var dist embed.FS

// Pages serves the console's files. It is read-only and safe for concurrent use.
type Pages struct {
	index  []byte // nil if the binary was built without the pages
	build  string
	assets map[string]asset
}

// contentTypes has those of all assets. Those of the machine may differ.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// asset is a file in the forms in which it is sent.
type asset struct {
	contentType  string
	gzip, brotli []byte
}

// Load returns the pages that this binary was built with.
func Load() (*Pages, error) { return load(dist) }

func load(files fs.FS) (*Pages, error) {
	p := &Pages{assets: make(map[string]asset)}
	index, err := fs.ReadFile(files, "dist/index.html")
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil // built without the pages
	}
	if err != nil {
		return nil, err
	}
	build, err := fs.ReadFile(files, "dist/BUILD")
	if err != nil {
		return nil, fmt.Errorf("the console's build has no digest: %w", err)
	}
	p.index, p.build = index, strings.TrimSpace(string(build))
	names, err := fs.Glob(files, "dist/assets/*.gz")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := p.add(files, strings.TrimSuffix(name, ".gz")); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Pages) add(files fs.FS, name string) error {
	zipped, err := fs.ReadFile(files, name+".gz")
	if err != nil {
		return err
	}
	brotli, err := fs.ReadFile(files, name+".br")
	if err != nil {
		return err
	}
	contentType, ok := contentTypes[path.Ext(name)]
	if !ok {
		return fmt.Errorf("%s is of no known type", name)
	}
	p.assets[path.Base(name)] = asset{contentType, zipped, brotli}
	return nil
}

// Build returns the digest of the sources of the pages, or "none".
func (p *Pages) Build() string {
	if p.index == nil {
		return "none"
	}
	return p.build
}

// Serve responds to GET Prefix and everything below it but the console's API. The nonce is
// that of the response's Content-Security-Policy.
func (p *Pages) Serve(c *fiber.Ctx, nonce string) error {
	if p.index == nil {
		return c.Status(fiber.StatusServiceUnavailable).Type("txt", "utf-8").SendString(notBuilt)
	}
	if name, isAsset := strings.CutPrefix(c.Path(), Prefix+"/assets/"); isAsset {
		return p.serveAsset(c, name)
	}
	c.Type("html", "utf-8")
	return c.Send(bytes.ReplaceAll(p.index, []byte("__NONCE__"), []byte(nonce)))
}

const notBuilt = "This binary was built without the console. `make build` builds it where Node 20.19 or newer and npm are. The documentation is at /docs.\n"

func (p *Pages) serveAsset(c *fiber.Ctx, name string) error {
	file, ok := p.assets[name]
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderCacheControl, assetCaching)
	c.Set(fiber.HeaderContentType, file.contentType)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	accepted := &c.Context().Request.Header
	switch {
	case accepted.HasAcceptEncoding("br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		return c.Send(file.brotli)
	case accepted.HasAcceptEncoding("gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(file.gzip)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(file.gzip))
	if err != nil {
		return err
	}
	plain, err := io.ReadAll(zipped)
	if err != nil {
		return err
	}
	return c.Send(plain)
}
