//go:build cgo

package daisen

// available: the SQLite driver that Akita uses is C.
const available = true
