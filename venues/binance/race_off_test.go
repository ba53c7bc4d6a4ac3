//go:build !race

package binance

// raceDetector: with it sync.Pool forgets on purpose.
const raceDetector = false
