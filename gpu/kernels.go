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
type kernelBuilder struct {
	resources *resources
	programs  *programs
	machine   *machine.Machine
	guard     *guard
	templates map[string]*launchTemplate // by step
}

// A launchTemplate is a made kernel. Other rounds of its loops differ in workgroups and push constants only.
type launchTemplate struct {
	special []config.SpecValue
	kernel  *config.KernelCall
	launch  cu.KernelLaunch
}

// makeWork makes the work of a launch of workgroups, or of a draw.
func (x *kernelBuilder) makeWork(l *config.Launch) (queuedWork, error) {
	x.resources.usage.grid(l)
	made, d, err := x.launchOf(l)
	if err != nil {
		return nil, err
	}
	if made.Code.Program.Node != nil {
		return nil, fmt.Errorf("%w: %s: entry point %q is a node of an execution graph: want it among nodes, and graph instead of dispatch",
			errGraph, l.Shader, made.Code.Program.Name)
	}
	read, at, err := x.resources.indirect(l.Indirect)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	k := kernelWork{KernelLaunch: made, indirectGrid: read, arguments: at}
	if d != nil {
		return &drawWork{k, d}, nil
	}
	return &k, nil
}

// launch lowers a program and binds its resources; d is the draw of a fragment shader.
func (x *kernelBuilder) launch(l *config.Launch) (made cu.KernelLaunch, d *draw, err error) {
	p, err := x.programs.lowerLaunch(l)
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
		err = x.programs.placeVariables(x.machine.Store, prog, l.Shader)
	}
	if err == nil {
		err = x.programs.bindConstants(x.machine.Store, prog, l.Shader, b)
	}
	if err != nil {
		return made, nil, Named(l.Shader, err)
	}
	x.programs.pushSections(prog, l.Shader, b)
	if err := x.placeScratch(p); err != nil {
		return made, nil, err
	}
	x.resources.usage.recordUse(prog, l)
	made = cu.KernelLaunch{Code: p.code, Resources: p.resources, NumWorkgroups: l.Dispatch, Base: l.Base, Bindings: b, Scratch: p.scratch}
	if d != nil {
		made.Fragments, made.NumWorkgroups = d.waves, [3]uint32{uint32(len(d.waves)), 1, 1}
	}
	return made, d, nil
}

// placeScratch allocates the scratch memory of a program's waves.
func (x *kernelBuilder) placeScratch(p *lowered) (err error) {
	prog := p.code.Program
	words := int(prog.ScratchWords)
	if words == 0 || p.scratch != nil {
		return nil
	}
	if err := x.guard.host.reserve(uint64(x.machine.Slots)*scratchHostBytes, "the scratch of every wave slot"); err != nil {
		return err
	}
	p.scratch, err = mem.NewScratch(x.machine.Store, x.machine.Slots, words, prog.WaveSize)
	return err
}

// launchOf makes a launch of the job itself. Rounds of a loop share what is equal in all of them.
func (x *kernelBuilder) launchOf(l *config.Launch) (made cu.KernelLaunch, d *draw, err error) {
	if have := x.templates[l.Path]; have != nil && slices.Equal(have.special, l.Specialization) && sameKernel(have.kernel, l.Kernel) {
		made, err = x.fromTemplate(have, l)
		return made, nil, err
	}
	if made, d, err = x.launch(l); err == nil && d == nil {
		x.templates[l.Path] = &launchTemplate{l.Specialization, l.Kernel, made}
	}
	return made, d, err
}

func (x *kernelBuilder) fromTemplate(have *launchTemplate, l *config.Launch) (cu.KernelLaunch, error) {
	made, b := have.launch, *have.launch.Bindings
	made.NumWorkgroups, made.Base, made.Bindings = l.Dispatch, l.Base, &b
	if err := x.resources.push(made.Code.Program, l, &b); err != nil {
		return made, Named(l.Shader, err)
	}
	x.programs.pushSections(made.Code.Program, l.Shader, &b)
	return made, nil
}
