//go:build !race

package experiments

const underRace = false
