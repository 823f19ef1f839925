package validate

import (
	"context"
	"sort"

	"spvsim/spirv"
)

// MaxFaults bounds how many faults Check reports of one module.
const MaxFaults = 20

// stages lists the checks of Check in addition to those of the view itself, with a row for each chapter of the
// specification. Chapters rely on those of earlier stages, so the first stage with faults is the last one that runs.
var stages = [][]chapter{
	{sections, capabilities, calls, earlyRules},
	{flow},
	{uses},
	{values, memoryModel, entryPoints, structures, decorationSets, callGraphs, imageCoordinates},
	{layouts, checkCore, extensionRules},
}

// A chapter tests one chapter of the rules and reports violations.
type chapter func(m *Module, r *report)

// report collects faults. Warnings don't make a module invalid.
type report struct {
	faults, warnings Faults
}

func (r *report) add(f Fault) {
	if len(r.faults) < MaxFaults {
		r.faults = append(r.faults, f)
	}
}

func (r *report) faultAt(in *spirv.Instruction, rule, format string, args ...any) {
	if len(r.faults) < MaxFaults {
		r.add(FaultAt(in, rule, format, args...))
	}
}

func (r *report) warn(in *spirv.Instruction, rule, format string, args ...any) {
	if len(r.warnings) < MaxFaults {
		r.warnings = append(r.warnings, FaultAt(in, rule, format, args...))
	}
}

func (r *report) unsupported(in *spirv.Instruction, rule, format string, args ...any) {
	f := FaultAt(in, rule, format, args...)
	f.Err = ErrUnsupported
	r.add(f)
}

func (r *report) full() bool { return len(r.faults) >= MaxFaults }

// runRules returns the faults of the first stage that has some, in the order
// of the module.
func runRules(ctx context.Context, m *Module) error {
	var r report
	for _, stage := range stages {
		for _, chapter := range stage {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			chapter(m, &r)
		}
		if len(r.faults) > 0 {
			sort.SliceStable(r.faults, func(i, j int) bool { return r.faults[i].Word < r.faults[j].Word })
			return r.faults
		}
	}
	_ = withSource(m.Raw.Source, r.warnings)
	m.Warnings = r.warnings
	return nil
}
