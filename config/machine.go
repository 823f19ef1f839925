package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"spvsim/cu"
	"spvsim/energy"
	"spvsim/internal/spec"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/simd"
)

// Machine describes one simulated GPU, composed of the specs of its components. The struct tags (package spec) are the
// single source of names, ranges, units and descriptions: they drive the reader, the checks, the JSON Schema and the
// reference page.
type Machine struct {
	Name        string `yaml:"name" required:"true" doc:"short name of the machine, printed in statistics"`
	Description string `yaml:"description" default:"" doc:"free text: what the machine is"`

	spec.Shape         `yaml:",inline"`
	cu.UnitSpec        `yaml:",inline"`
	hierarchy.Spec     `yaml:",inline"`
	scheduler.WorkSpec `yaml:",inline"`

	FrontEnd command.FrontEndSpec `yaml:"front_end" doc:"the command processor: pipes that serve hardware queues"`
	Energy   energy.Table         `yaml:"energy" default:"" doc:"energies of events, and power of parts"`

	Timing simd.Timing `yaml:"timing" doc:"instruction classes, and the micro-operations that each operation lowers to"`

	// Sources maps paths ("lds.banks") to the source of the number: the source written in the file, the overlay file,
	// or "set on the command line".
	Sources map[string]string `yaml:"-"`

	// FullClockMHz is the core's clock before energy.cap lowered it to ClockMHz, or left it; 0: that is not decided.
	FullClockMHz int `yaml:"-"`

	set map[string]string // by path, the origin of values that no preset sets; only looked up
}

// Idle lists the keys that were set, not by a preset, and have no effect under the machine's scheduler.
func (m *Machine) Idle() (list []string) {
	kind := m.Scheduler.Kind
	for _, part := range []struct {
		name   string
		fields []spec.Field
	}{{"scheduler", spec.Fields(reflect.TypeFor[scheduler.SchedulerSpec]())}, {"queue", spec.Fields(reflect.TypeFor[scheduler.QueueSpec]())}} {
		for _, f := range part.fields {
			path := part.name + "." + f.Name
			if by, ok := m.set[path]; ok && len(f.SchedulerKinds) > 0 && !slices.Contains(f.SchedulerKinds, kind) {
				list = append(list, fmt.Sprintf("%s does nothing under scheduler.kind %s: it acts under %s (%s)", path, kind, strings.Join(f.SchedulerKinds, ", "), by))
			}
		}
	}
	return list
}

// Validate reports every field whose value can't be simulated, by the field tables and by the rules between fields.
func (m *Machine) Validate() error { return withPositions(machineProblems(m), nil) }

func machineProblems(m *Machine) []problem { return problems(spec.Check(m)) }

// ClassNames lists the instruction classes in the order of isa.
func ClassNames() []string { return simd.ClassNames() }

// Limits returns the resources of a compute unit.
func (m *Machine) Limits() *cu.Limits {
	return &cu.Limits{Shape: &m.Shape, UnitSpec: &m.UnitSpec, Machine: m.Name}
}

func (m *Machine) Energies() *energy.Model {
	queues := 1
	if m.Queue.Placement == "engine" {
		queues = m.ShaderEngines
	}
	return energy.New(&m.Energy, energy.Plant{ClockMHz: m.ClockMHz, Units: m.Units(), Engines: m.ShaderEngines,
		Queue: m.Scheduler.Kind, Queues: queues, Depth: m.Queue.Depth, Ports: m.Queue.Ports})
}

// Rules returns the parameters that a program's costs depend on.
func (m *Machine) Rules() *simd.Rules {
	order := m.VectorMemory.ReturnOrder
	return &simd.Rules{
		Shape: &m.Shape, Timing: &m.Timing, Fetch: &m.Fetch, Matrix: &m.Matrix, Compaction: m.Issue.Compaction,
		Loads: order == hierarchy.OrderLoads || order == hierarchy.OrderAll, Stores: order == hierarchy.OrderAll,
	}
}
