//go:build !race

package simulation_test

// seedsDefault is how many seeds a plain run plays; VENUEGATE_SEEDS asks for
// another number, VENUEGATE_FIRST_SEED begins elsewhere.
const seedsDefault = 2000
