//go:build !akitatools

package daisen

// available: a driver for the database would be a tenth of the command, for what few ask for.
const available = false
