package api

import _ "embed"

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the document of the REST interface; it must not be changed.
func OpenAPI() []byte { return openAPI }
