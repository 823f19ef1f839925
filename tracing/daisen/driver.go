//go:build akitatools

package daisen

import (
	_ "github.com/ncruces/go-sqlite3/driver" // under the name of the C driver that Akita's tracer uses
	_ "github.com/ncruces/go-sqlite3/embed"
)

// available: there is a driver for the database.
const available = true
