//go:build !akitatools

package daisen

// available: a driver for the database would add a tenth to the command, for a feature that few use.
const available = false
