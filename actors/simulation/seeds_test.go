//go:build !race

package simulation_test

// seedsDefault is the number of seeds without the race detector; VENUEGATE_SEEDS sets
// another number, VENUEGATE_FIRST_SEED another first seed. Every planted bug that the
// simulation must detect is detected within as many; make chaos plays the following ones.
const seedsDefault = 600

// sameSeeds is the number of seeds that are played twice.
const sameSeeds = 50
