package gpu

import (
	"fmt"
	"slices"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/program"
	"spvsim/program/ir"
)

// usage notes what launches take of what the job gives them.
type usage struct {
	job   *config.Job
	named map[string]bool // buffers that work reaches by name
	seen  map[usageKey]bool
	given []givenValue
	empty []*config.Launch // dispatches without workgroups, one of each step
}

type usageKey struct {
	prog *program.Program
	path string
	push int
}

// A givenValue is a binding or a push constant block that the job sets for some launches.
type givenValue struct {
	path, what  string // of the key in the job, and what is in words
	bytes, used int    // of a block; of a binding 1, and 1 where a launch takes it
	shader      string // the shader that takes the most of a block
}

func newUsage(job *config.Job) *usage {
	return &usage{job: job, named: job.ReachedByName(), seen: map[usageKey]bool{}}
}

// recordUse records which values of the job a launch of a program uses.
func (u *usage) recordUse(p *program.Program, l *config.Launch) {
	key := usageKey{p, l.Path, len(l.Push.Bytes)}
	if u.seen[key] {
		return
	}
	u.seen[key] = true
	for i := range u.job.Buffers {
		if b := &u.job.Buffers[i]; !b.Unbound && b.Address == "" && !u.named[b.Name] {
			u.binding(fmt.Sprintf("buffers[%d]", i), b.Set, b.Binding, p, false)
		}
	}
	for _, b := range l.Bindings {
		if l.Kernel != nil {
			continue // images among the arguments
		}
		u.binding(u.valueOf(l.Path, "bindings"), b.Set, b.Binding, p, false)
	}
	for i := range u.job.Samplers {
		s := &u.job.Samplers[i]
		u.binding(fmt.Sprintf("samplers[%d]", i), s.Set, s.Binding, p, true)
	}
	for i := range l.Samplers {
		s := &l.Samplers[i]
		u.binding(u.valueOf(l.Path, "samplers"), s.Set, s.Binding, p, true)
	}
	if n := len(l.Push.Bytes); n > 0 && l.Kernel == nil {
		u.addValue(givenValue{u.valueOf(l.Path, "push_constants"), "", n, int(p.PushBytes), l.Shader})
	}
}

// valueOf returns the path of a key in the step, the node or the job that sets it.
func (u *usage) valueOf(path, key string) string {
	if at := u.job.KeyOwner(path, key); at != "" {
		return at + "." + key
	}
	return key
}

func (u *usage) binding(path string, set, binding uint32, p *program.Program, sampler bool) {
	taken := 0
	if slices.ContainsFunc(p.Bindings, func(b ir.Binding) bool {
		return b.Set == set && b.Binding == binding && b.Kind != ir.MeshOutput && b.Kind != ir.ColorOutput && (b.Kind == ir.Sampler) == sampler
	}) {
		taken = 1
	}
	u.addValue(givenValue{path, fmt.Sprintf("set %d, binding %d", set, binding), 1, taken, ""})
}

// addValue adds a gift, or what one more launch takes of a gift.
func (u *usage) addValue(g givenValue) {
	i := slices.IndexFunc(u.given, func(o givenValue) bool { return o.path == g.path && o.what == g.what })
	if i < 0 {
		u.given = append(u.given, g)
		return
	}
	o := &u.given[i]
	if o.bytes = max(o.bytes, g.bytes); g.used > o.used {
		o.used, o.shader = g.used, g.shader
	}
}

// grid notes a dispatch that has no workgroups.
func (u *usage) grid(l *config.Launch) {
	compute := len(l.Graph) == 0 && l.Copy == nil && l.Transfer == nil && l.Draw == nil && l.Indirect == nil && !l.Synchronize
	if compute && cu.GridSize(l.Dispatch) == 0 && !slices.ContainsFunc(u.empty, func(o *config.Launch) bool { return o.Path == l.Path }) {
		u.empty = append(u.empty, l)
	}
}

// unused words what nothing takes.
func (u *usage) unused() (list []string) {
	for _, l := range u.empty {
		path := "dispatch"
		if l.Path != "" {
			path = l.Path + ".dispatch"
		}
		list = append(list, u.job.Remark(path, "found %d x %d x %d workgroups: nothing runs", l.Dispatch[0], l.Dispatch[1], l.Dispatch[2]))
	}
	for _, g := range u.given {
		switch {
		case g.used >= g.bytes:
		case g.what != "":
			list = append(list, u.job.Remark(g.path, "no shader that runs uses %s", g.what))
		case g.used == 0:
			list = append(list, u.job.Remark(g.path, "found %d bytes: %s has no push constants", g.bytes, g.shader))
		default:
			list = append(list, u.job.Remark(g.path, "found %d bytes: the block of %s has %d", g.bytes, g.shader, g.used))
		}
	}
	return list
}
