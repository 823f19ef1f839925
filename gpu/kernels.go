package gpu

import (
	"fmt"
	"slices"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/mem"
)

// Kernels make kernels and draws of what a job launches: programs lowered, resources bound.
type kernels struct {
	resources *resources
	programs  *programs
	machine   *machine.Machine
	guard     *guard
	likes     map[string]*like // by step
}

// A like is a kernel; those of other rounds of its loops may differ from it in workgroups and push constants alone.
type like struct {
	special []config.SpecValue
	launch  cu.Launch
}

// work makes the work of a launch of workgroups, or of a draw.
func (x *kernels) work(l *config.Launch) (queued, error) {
	x.resources.usage.grid(l)
	made, d, err := x.launchOf(l)
	if err != nil {
		return nil, err
	}
	if made.Code.Program.Node != nil {
		return nil, fmt.Errorf("%w: %s: entry point %q is a node of an execution graph: want it among nodes, and graph instead of dispatch",
			errGraph, l.Shader, made.Code.Program.Name)
	}
	at, err := x.resources.indirect(l.Indirect)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	k := kernel{Launch: made, at: at}
	if d != nil {
		return &drawing{k, d}, nil
	}
	return &k, nil
}

// launch lowers a program and binds its resources; d is the draw of a fragment shader.
func (x *kernels) launch(l *config.Launch) (made cu.Launch, d *draw, err error) {
	p, err := x.programs.get(l)
	if err != nil {
		return made, nil, err
	}
	prog := p.code.Program
	if d, err = x.resources.newDraw(l.Draw, prog); err != nil {
		return made, nil, Named(l.Shader, err)
	}
	x.resources.draw = d
	b, err := x.resources.bind(prog, l)
	if err == nil {
		err = x.programs.bindConstants(x.machine.Store, prog, b)
	}
	if err != nil {
		return made, nil, Named(l.Shader, err)
	}
	if err := x.placeScratch(p); err != nil {
		return made, nil, err
	}
	x.resources.usage.note(prog, l)
	made = cu.Launch{Code: p.code, Resources: p.need, NumWorkgroups: l.Dispatch, Base: l.Base, Bindings: b, Scratch: p.scratch}
	if d != nil {
		made.Fragments, made.NumWorkgroups = d.waves, [3]uint32{uint32(len(d.waves)), 1, 1}
	}
	return made, d, nil
}

// placeScratch gives a program the private memory of its waves.
func (x *kernels) placeScratch(p *lowered) (err error) {
	prog := p.code.Program
	words := int(prog.ScratchWords)
	if words == 0 || p.scratch != nil {
		return nil
	}
	if err := x.guard.host.take(uint64(x.machine.Slots)*scratchHostBytes, "the scratch of every wave slot"); err != nil {
		return err
	}
	p.scratch, err = mem.NewScratch(x.machine.Store, x.machine.Slots, words, prog.WaveSize)
	return err
}

// launchOf is launch for a launch of the job itself: what rounds of a loop have in common is worked out once.
func (x *kernels) launchOf(l *config.Launch) (made cu.Launch, d *draw, err error) {
	if have := x.likes[l.Path]; have != nil && slices.Equal(have.special, l.Specialization) {
		made, err = x.likeOne(have, l)
		return made, nil, err
	}
	if made, d, err = x.launch(l); err == nil && d == nil {
		x.likes[l.Path] = &like{l.Specialization, made}
	}
	return made, d, err
}

func (x *kernels) likeOne(have *like, l *config.Launch) (cu.Launch, error) {
	made, b := have.launch, *have.launch.Bindings
	made.NumWorkgroups, made.Base, made.Bindings = l.Dispatch, l.Base, &b
	if err := x.resources.push(made.Code.Program, l, &b); err != nil {
		return made, Named(l.Shader, err)
	}
	return made, nil
}
