//go:build !race

package simulation_test

// seedsDefault is the number of seeds without the race detector; VENUEGATE_SEEDS sets
// another number, VENUEGATE_FIRST_SEED another first seed.
const seedsDefault = 2000

// sameSeeds is the number of seeds that are played twice.
const sameSeeds = 50
