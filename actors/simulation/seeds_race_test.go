//go:build race

package simulation_test

// seedsDefault under the race detector, which takes ten times as long: all of
// them would keep two cores busy for minutes, and a slow machine past the time
// that go test gives a package.
const seedsDefault = 200
