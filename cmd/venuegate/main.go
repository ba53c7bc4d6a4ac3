// Package main is the venuegate command. It serves one API over several trading
// venues, simulates those venues, and administers a running service.
//
//	main.go       signals and the exit status
//	cli.go        the command line; command_*.go has one command each
//	config*.go    configuration: defaults, file, environment, flags
//	app.go        the life of the service: open, run, close
//	wire.go       the wiring: store, connectors, actors and edges
//	output.go     lists for people and for programs
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
	// The first signal cancels ctx and restores the default handler, so that a
	// second one ends the process immediately.
	context.AfterFunc(ctx, stop)
	// The files written by this process hold keys and orders.
	syscall.Umask(0o077)
	os.Exit(execute(ctx, os.Args[1:], shell{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}))
}
