//go:build !race

package okx

// raceDetector: with it sync.Pool forgets on purpose.
const raceDetector = false
