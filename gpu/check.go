package gpu

import (
	"cmp"
	"fmt"

	"spvsim/check"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/mem"
	"spvsim/program"
)

// beginCheck has the workgroups of a launch checked, from its first part on.
func beginCheck(c *check.Checker, m *machine.Machine, w launchWork, step string) {
	s := check.LaunchSetup{Name: step, Buffer: func(addr uint64) (string, uint64) {
		if b := m.Store.Find(addr); b != nil {
			return b.Name, b.Addr
		}
		return "", 0
	}}
	switch w := w.(type) {
	case *graphWork:
		checkGraph(c, w, s)
	case *queueWork:
		for i := range w.launches {
			s.Name = w.launches[i].step
			checkQueued(c, m.Store, w.launches[i].work, s)
		}
	case *deviceQueueWork:
		for _, l := range w.launches {
			s.Name = l.step
			checkQueued(c, m.Store, l.work, s)
		}
	case interface{ Kernel() *cu.KernelLaunch }:
		checkKernel(c, m.Store, w.Kernel(), s)
	}
}

func checkQueued(c *check.Checker, store *mem.Store, w launchWork, s check.LaunchSetup) {
	if g, ok := w.(*graphWork); ok {
		g.beginCheck = func() { checkGraph(c, g, s) } // its dispatches wait for each other
	} else if k, ok := w.(interface{ Kernel() *cu.KernelLaunch }); ok && k.Kernel() != nil {
		checkKernel(c, store, k.Kernel(), s)
	}
}

func checkKernel(c *check.Checker, store *mem.Store, k *cu.KernelLaunch, s check.LaunchSetup) {
	p := k.Code.Program
	s.Name, s.Programs, s.ReadOnly = cmp.Or(s.Name, p.Name), []*program.Program{p}, k.Bindings.ReadOnlyLoads(p.Insts)
	list, known := k.Bindings.WrittenRanges(p.Insts, store)
	s.WritesKnown = known
	for _, r := range list {
		s.Written = append(s.Written, check.Range(r))
	}
	k.Check = c.Launch(s)
}

func checkGraph(c *check.Checker, g *graphWork, s check.LaunchSetup) {
	s.Name, s.Graph = cmp.Or(s.Name, "graph"), true
	for _, n := range g.graph.Nodes {
		s.Programs = append(s.Programs, n.Launch.Code.Program)
	}
	if before := g.graph.Nodes[0].Launch.Check; before != nil {
		before.End() // of another dispatch
	}
	l := c.Launch(s)
	for _, n := range g.graph.Nodes {
		n.Launch.Check = l
	}
}

// checkModes refuses to check launches of which a part is estimated: their workgroups run twice, or not at all.
func checkModes(r *runner) error {
	for _, mode := range r.modes {
		if r.setup.Check && mode == config.ModeSampled {
			return errCheckMode(mode)
		}
	}
	return nil
}

func errCheckMode(mode string) error {
	return fmt.Errorf("check: found mode %s: want %s or %s", mode, config.ModeTimed, config.ModeFunctional)
}

// addFindings adds what the check found to the result, and returns an error if that is something.
func addFindings(r *runner, result *Result) error {
	if r.checker == nil {
		return nil
	}
	report := r.checker.Report()
	report.OutOfBounds = result.Stats.OutOfBounds
	result.Checked = &report
	n, outside := len(report.Findings), report.OutOfBounds
	switch err := r.checker.Err(); {
	case err != nil:
		return runError(err)
	case n+int(outside) > 0:
		return runError(fmt.Errorf("%w: %d findings, %d accesses out of bounds", ErrCheck, n, outside))
	}
	return nil
}
