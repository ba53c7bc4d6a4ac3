//go:build !race

package bybit

// raceDetector: with it sync.Pool forgets on purpose.
const raceDetector = false
