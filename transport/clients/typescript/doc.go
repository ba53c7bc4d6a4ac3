// Package typescript contains no Go code but the test that builds the TypeScript client
// and runs its tests against the built service.
//
// The test has the build tag interop; `make interop` runs it. It requires node and npm.
// README.md describes the client and how to run its tests by hand.
package typescript
