package api

import (
	_ "embed"
	"strings"

	"venuegate/venues"
)

var (
	//go:embed openapi.yaml
	openAPIFile string
	//go:embed asyncapi.yaml
	asyncAPIFile string

	openAPI  = Document(openAPIFile)
	asyncAPI = Document(asyncAPIFile)
)

// Paths of the documentation for people.
const (
	DocsPath = "/docs"
	// ErrorsPage has a section for each error code, whose id is the code.
	ErrorsPage = DocsPath + "/errors"
)

// OpenAPI returns the document of the REST interface. The caller must not change
// it.
func OpenAPI() []byte { return openAPI }

// AsyncAPI returns the document of the stream. The caller must not change it.
func AsyncAPI() []byte { return asyncAPI }

// Document returns a document with the venues of the table in the place of those that its
// file lists.
func Document(file string) []byte { return withVenues(file, venues.All()) }

// The venues as the files list them, in enums and in patterns. The files are
// complete documents, so that editors and linters can read them.
const (
	venueEnum    = "binance, bybit, okx"
	venuePattern = "binance|bybit|okx"
)

// withVenues returns the document with the given venues in the place of those
// that its file lists.
func withVenues(document string, list []venues.Venue) []byte {
	return []byte(strings.NewReplacer(venueEnum, join(list, ", "), venuePattern, join(list, "|")).Replace(document))
}

// headerPrefix is the prefix of the headers of signals and events as the files list them.
const headerPrefix = "X-Service"

// WithHeaderPrefix returns a text of the documentation with another prefix of the headers of
// signals and events.
func WithHeaderPrefix(text, prefix string) string {
	return strings.ReplaceAll(text, headerPrefix+"-", prefix+"-")
}
