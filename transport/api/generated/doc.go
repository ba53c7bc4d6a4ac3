// Package generated makes ten calls to the service with each of two clients that are
// generated of its document, by oapi-codegen and by openapi-typescript, generates both
// clients of the administration API, and reads the document of the stream with the parser of
// AsyncAPI. It also generates the types of transport/clients/go, which are kept, and compares
// them.
//
// The test has the build tag interop; `make interop` runs it. It requires node and npm.
// The generators are pinned in golang/go.mod, a module of its own, and in
// typescript/package-lock.json. The clients are not kept: each run generates them.
package generated
