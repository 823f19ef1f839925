//go:build race

package experiments

const underRace = true
