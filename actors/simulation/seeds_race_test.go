//go:build race

package simulation_test

// seedsDefault is the number of seeds under the race detector, which takes ten times as
// long. They are the first of those that a run without it plays, so they only show data
// races.
const seedsDefault = 25

// sameSeeds is the number of seeds that are played twice. Without the race detector they
// are 50.
const sameSeeds = 3
