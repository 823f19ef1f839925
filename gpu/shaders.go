package gpu

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spvsim/config"
	"spvsim/program"
	"spvsim/spirv/validate"
)

// A Shader is a module of a job, with what the job runs of it: each entry point and specialization once.
type Shader struct {
	Name   string
	Module *validate.Module
	Uses   []config.Launch
}

// Shaders lists the modules of a job in the order of first use.
func Shaders(job *config.Job) ([]Shader, error) {
	launches, err := job.Launches()
	if err != nil {
		return nil, err
	}
	if job.IsGraph() {
		work, err := job.GraphWork()
		if err != nil {
			return nil, err
		}
		for _, g := range work {
			for i := range g.Nodes {
				launches = append(launches, g.Nodes[i].Launch)
			}
		}
	}
	p := &programs{ctx: context.Background(), job: job, data: map[string][]byte{}, modules: map[moduleKey]*validate.Module{}, whole: true}
	var list []Shader
	for _, l := range launches {
		if len(l.Graph) > 0 {
			continue
		}
		if l.Kernel != nil {
			made, err := p.kernelLaunch(&l)
			if err != nil {
				return nil, err
			}
			l = *made
		}
		i := slices.IndexFunc(list, func(s Shader) bool { return s.Name == l.Shader })
		if i < 0 {
			m, err := p.module(&l)
			if err != nil {
				return nil, err
			}
			i, list = len(list), append(list, Shader{Name: l.Shader, Module: m})
		}
		if !slices.ContainsFunc(list[i].Uses, func(u config.Launch) bool { return sameProgram(&u, &l) }) {
			list[i].Uses = append(list[i].Uses, l)
		}
	}
	return list, nil
}

func sameProgram(a, b *config.Launch) bool {
	return a.Entry == b.Entry && slices.Equal(a.Specialization, b.Specialization) && slices.Equal(a.Strings, b.Strings) && sameKernel(a.Kernel, b.Kernel)
}

// LowerOptions returns the options with which a run lowers a launch. values override the launch's; their constants exist in the module.
func LowerOptions(m *validate.Module, l *config.Launch, values []config.SpecValue, target program.Target) (program.Options, error) {
	if key, err := checkConstants(m, slices.Concat(l.Specialization, values)); err != nil {
		return program.Options{}, fmt.Errorf("%s: %w", key, err)
	}
	special, _ := specialization(m, l.Specialization) // a run warns about constants that the module does not have
	set, absent := specialization(m, values)
	if len(absent) > 0 {
		return program.Options{}, fmt.Errorf("specialization %s: the module has no such constant (%s)", absent[0], specConstants(m))
	}
	maps.Copy(special, set)
	texts, err := stringConstants(m, l.Strings)
	return program.Options{Entry: l.Entry, Specialization: special, Strings: texts, Kernel: kernelOptions(m, l), Target: target}, err
}
