// Package main is venuegate: one binary that serves one interface to several
// trading venues, simulates those venues, and administers what it serves.
//
//	main.go       signals and the exit status
//	cli.go        the command line; command_*.go one command each
//	config*.go    configuration: defaults, file, environment, flags
//	app.go        the service: open, run, close
//	wire.go       what the service is made of; the only place that knows all of it
//	demo.go       the demo's customer, keys and description
//	simulators.go the simulated venues
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends ctx and brings back the default: a second one ends
	// the process at once.
	context.AfterFunc(ctx, stop)
	// What is written here holds keys and orders.
	syscall.Umask(0o077)
	os.Exit(execute(ctx, os.Args[1:], shell{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}))
}
