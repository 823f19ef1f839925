//go:build !akita

package akita

import (
	"github.com/sarchlab/akita/v3/sim"

	"spvsim/internal/spec"
	"spvsim/mem/hierarchy"
)

// A Memory can't be created in builds without Akita's caches.
type Memory struct{ hierarchy.Model }

// New returns ErrBuild.
func New(sim.Engine, *hierarchy.Spec, *spec.Shape) (*Memory, error) { return nil, ErrBuild }

// Stuck reports that requests wait for ever.
func (*Memory) Stuck(uint64) bool { return false }

// Components lists the components of Akita.
func (*Memory) Components() []sim.Component { return nil }
