//go:build race

package connectortest

// RaceDetector: with it sync.Pool forgets on purpose.
const RaceDetector = true
