package config

// Modes are the ways in which a job, or a step of it, may run.
var Modes = []string{"timed", "functional", "sampled"}
