//go:build !akita

package monitor

import "github.com/sarchlab/akita/v3/sim"

// A Monitor can't be created in builds without Akita's tools.
type Monitor struct{}

// New returns ErrBuild.
func New(int) (*Monitor, error) { return nil, ErrBuild }

// URL is the address of the monitor's page.
func (*Monitor) URL() string { return "" }

// Attach serves the engine and the parts from now on.
func (*Monitor) Attach(sim.Engine, []sim.Component) error { return ErrBuild }

// Progress reports how many workgroups have ended, and how many run.
func (*Monitor) Progress(ended, running, total uint64) {}

// Close ends the server.
func (*Monitor) Close() error { return nil }
