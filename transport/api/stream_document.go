package api

import _ "embed"

//go:embed asyncapi.yaml
var asyncAPI []byte

// AsyncAPI is the document of the stream; it must not be changed.
func AsyncAPI() []byte { return asyncAPI }
