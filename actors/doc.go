// Package actors is the kit in which the engine of the service is written, and
// the only wrapper over protoactor-go: no other package imports that module. An
// actor owns its state alone and is reached only by messages; what the kit adds
// is that a tree of such actors stays responsive, bounded and alive.
package actors
