//go:build race

package connectortest

// RaceDetector reports whether the race detector is on. With it sync.Pool drops items at
// random.
const RaceDetector = true
