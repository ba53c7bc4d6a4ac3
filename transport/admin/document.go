package admin

import (
	_ "embed"

	"venuegate/transport/api"
)

// mediaYAML is the type of the document.
const mediaYAML = "application/yaml"

var (
	//go:embed openapi.yaml
	openAPIFile string

	openAPI = api.Document(openAPIFile)
)

// OpenAPI returns the document of the administration API. The caller must not change it.
func OpenAPI() []byte { return openAPI }
