package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Rounds returns how often the whole job runs; only the last round is reported.
func (j *Job) Rounds() (int, error) {
	n, ps := j.rounds()
	return n, withPositions(ps, j.positions)
}

func (j *Job) rounds() (int, []problem) {
	n, err := j.Repeat.evalInt(j.scope, 1, 1, maxRounds)
	if err != nil {
		return 0, []problem{{"repeat", err.Error(), ErrRange}}
	}
	return int(n), nil
}

// Launches lists the dispatches of one round in order, loops unrolled.
func (j *Job) Launches() ([]Launch, error) {
	l, ps := j.launches()
	return l, withPositions(ps, j.positions)
}

// EachLaunch calls do for the launches of one round, in order, until an error: a loop needs no more memory than a round
// of it. Rounds may share a launch, which must not be changed. The launches of queues are listed first, as they wait
// for each other.
func (j *Job) EachLaunch(do func(*Launch) error) error {
	if len(j.Queues) == 0 {
		u := &unroller{job: j, emit: do}
		err := withPositions(u.unroll(), j.positions)
		return cmp.Or(err, u.err)
	}
	list, err := j.Launches()
	for i := 0; err == nil && i < len(list); i++ {
		err = do(&list[i])
	}
	return err
}

func (j *Job) launches() ([]Launch, []problem) {
	u := &unroller{job: j}
	if ps := u.unroll(); ps != nil {
		return nil, ps
	}
	return u.out, nil
}

func (j *Job) launchProblems() []problem {
	u := &unroller{job: j}
	if len(j.Queues) == 0 {
		u.emit = func(*Launch) error { return nil }
	}
	return u.unroll()
}

// unroll works through the job.
func (u *unroller) unroll() []problem {
	j := u.job
	if _, ps := j.rounds(); ps != nil {
		return ps
	}
	if j.IsGraph() {
		if _, ps := j.graphWork(); ps != nil || len(j.Steps) == 0 && len(j.Queues) == 0 {
			return ps
		}
	}
	top := placedStep{Step: Step{Shader: j.Shader, Entry: j.Entry, Specialization: j.Specialization, PushConstants: j.PushConstants, Dispatch: j.Dispatch,
		Global: j.Global, Local: j.Local, GlobalOffset: j.GlobalOffset, Arguments: j.Arguments, Base: j.Base, Draw: j.Draw, Barrier: true, Steps: j.Steps}}
	switch {
	case len(j.Queues) > 0:
		if _, ps := j.queueCalls(); ps != nil {
			return ps
		}
		u.queues(top.Step)
	case len(j.Steps) == 0:
		u.launch(&top, j.scope)
	default:
		u.steps(&top, j.scope)
	}
	return u.problems
}

// unroller turns steps into launches; it stops at the first problem, as the next rounds of a loop would repeat it.
type unroller struct {
	job       *Job
	emit      func(*Launch) error // receives each launch; nil: they are collected in out
	err       error               // of do
	count     int                 // launches so far
	out       []Launch
	waitNames [][]string // by launch of a queue: the steps that it names
	rounds    int
	problems  []problem
}

// stopped reports whether to stop.
func (u *unroller) stopped() bool { return u.problems != nil || u.err != nil }

// add passes a launch to do, or collects it.
func (u *unroller) add(l *Launch) {
	u.count++
	if u.emit == nil {
		u.out = append(u.out, *l)
		return
	}
	u.err = u.emit(l)
}

func (u *unroller) fail(path string, err error) {
	u.problems = append(u.problems, u.job.inherited(path, err))
}

// A placedStep is a step with its inherited fields. Results that no loop changes are computed once.
type placedStep struct {
	Step
	path          string
	loops         []string     // variables of the enclosing loops, and of its own
	loopInvariant bool         // no loop variable occurs in its launch
	inner         []placedStep // the steps inside
	cached        *Launch      // the launch of all rounds if it is steady; nil: not yet computed
}

// steps unrolls the steps inside another one, or the job.
func (u *unroller) steps(outer *placedStep, s scope) {
	if outer.inner == nil {
		outer.inner = outer.innerSteps()
	}
	for i := range outer.inner {
		p := &outer.inner[i]
		u.loop(p, p.For, s)
	}
}

// innerSteps are the steps inside.
func (p *placedStep) innerSteps() (list []placedStep) {
	for i := range p.Steps {
		in := placedStep{Step: inherit(&p.Steps[i], &p.Step), path: indexPath(sub(p.path, "steps"), i), loops: slices.Clone(p.loops)}
		for _, l := range in.For {
			in.loops = append(in.loops, l.Name)
		}
		in.loopInvariant = !in.uses(in.loops)
		list = append(list, in)
	}
	return list
}

// inherit fills the missing fields of a step from the enclosing step or job.
func inherit(s, outer *Step) Step {
	out := *s
	out.Name = cmp.Or(out.Name, outer.Name)
	if out.Shader == "" {
		out.Shader = outer.Shader
		out.Entry = cmp.Or(out.Entry, outer.Entry)
	}
	if out.PushConstants == nil {
		out.PushConstants = outer.PushConstants
	}
	if out.Arguments.List == nil {
		out.Arguments = outer.Arguments
	}
	out.Specialization = slices.Concat(outer.Specialization, s.Specialization)
	out.Bindings, out.Samplers = slices.Concat(outer.Bindings, s.Bindings), slices.Concat(outer.Samplers, s.Samplers)
	out.WaveSize = cmp.Or(out.WaveSize, outer.WaveSize)
	out.Once = out.Once || outer.Once
	out.Barrier = out.Barrier && outer.Barrier
	out.After = slices.Concat(outer.After, s.After)
	if out.Release == nil {
		out.Release = outer.Release
	}
	if out.Acquire == nil {
		out.Acquire = outer.Acquire
	}
	out.Mode = cmp.Or(out.Mode, outer.Mode)
	return out
}

func (u *unroller) loop(step *placedStep, loops []Loop, s scope) {
	if u.stopped() {
		return
	}
	if len(loops) == 0 {
		u.body(step, s)
		return
	}
	l := loops[0]
	p := joinPath(step.path+".for", l.Name)
	first, err1 := l.First.evalInt(s, 0, math.MinInt32, math.MaxInt32)
	last, err2 := l.Last.evalInt(s, 0, math.MinInt32, math.MaxInt32)
	if err := errors.Join(err1, err2); err != nil {
		u.fail(p, err)
		return
	}
	inner := maps.Clone(s)
	for i := first; i <= last && !u.stopped(); i++ {
		inner[l.Name] = Number{Int: i}
		if u.rounds++; u.rounds > maxLoopRounds {
			u.problems = append(u.problems, problem{p, fmt.Sprintf("found more than %d rounds of loops: want fewer", maxLoopRounds), ErrLimit})
			return
		}
		u.loop(step, loops[1:], inner)
	}
}

func (u *unroller) body(step *placedStep, s scope) {
	if before := len(u.out); len(u.job.Queues) > 0 && len(step.Steps) == 0 {
		defer func() {
			if len(u.out) > before {
				l := &u.out[before]
				l.Barrier, l.Release, l.Acquire = step.Barrier, step.Release, step.Acquire
				u.waitNames = append(u.waitNames, step.After)
			}
		}()
	}
	switch {
	case len(step.Steps) > 0:
		u.steps(step, s)
	case u.count == maxLaunches:
		u.problems = append(u.problems, problem{step.path, fmt.Sprintf("found more than %d launches: want fewer", maxLaunches), ErrLimit})
	case step.Copy != nil:
		u.copy(&step.Step, s, step.path)
	case step.Synchronize:
		u.add(&Launch{Step: step.Name, Synchronize: true, Path: step.path, Once: step.Once, Mode: step.Mode})
	case step.Transfer != nil:
		u.transfer(&step.Step, s, step.path)
	default:
		u.launch(step, s)
	}
}

// maxCopyBytes is far beyond any memory, and keeps the time of a copy in range.
const maxCopyBytes = 1 << 50

func (u *unroller) copy(step *Step, s scope, at string) {
	n, err := step.Copy.Bytes.evalInt(s, 0, 0, maxCopyBytes)
	if err != nil {
		u.fail(sub(at, "copy.bytes"), err)
		return
	}
	u.add(&Launch{Step: step.Name, Copy: &CopyCall{step.Copy.To == "host", n}, Path: at, Once: step.Once, Mode: step.Mode})
}

func (u *unroller) launch(step *placedStep, s scope) {
	l := step.cached
	if l == nil {
		if l = u.evalLaunch(&step.Step, s, step.path); l == nil {
			return
		}
		if step.loopInvariant {
			step.cached = l
		}
	}
	u.add(l)
}

// uses reports whether a launch of the step may depend on one of some names.
func (step *Step) uses(names []string) bool {
	if step.Draw != nil || len(step.Graph) > 0 {
		return true // not analysed
	}
	list := slices.Concat(step.Dispatch, step.Base, step.Global, step.Local, step.GlobalOffset)
	for i := range step.Arguments.List {
		list = append(list, step.Arguments.List[i].Value.expressions()...)
	}
	if step.Indirect != nil {
		list = append(list, step.Indirect.Offset)
	}
	for _, sp := range step.Specialization {
		list = append(list, sp.Value)
	}
	for i := range step.PushConstants {
		c := &step.PushConstants[i]
		list = append(append(list, c.Offset), c.Typed.Values...)
	}
	return slices.ContainsFunc(list, func(e Expr) bool { return e.usesAny(names) })
}

// evalLaunch evaluates the launch of a step; nil: there is a problem.
func (u *unroller) evalLaunch(step *Step, s scope, at string) *Launch {
	l := Launch{Step: step.Name, Shader: step.Shader, Entry: step.Entry, Path: at, Once: step.Once, Mode: step.Mode,
		WaveSize: step.WaveSize, Bindings: step.Bindings, Samplers: step.Samplers}
	if !u.grid(step, &l, s, at) {
		return nil
	}
	if step.Draw != nil {
		draw, err := u.job.call(step.Draw, s)
		if err != nil {
			u.fail(sub(at, "draw"), err)
			return nil
		}
		l.Draw = draw
	}
	for i := range step.Graph {
		d, err := u.job.payloadDispatch(&step.Graph[i], s)
		if err != nil {
			u.fail(indexPath(sub(at, "graph"), i), err)
			return nil
		}
		l.Graph = append(l.Graph, d)
	}
	for _, sp := range step.Specialization {
		v, err := sp.Value.eval(s, Number{})
		if err != nil {
			u.fail(at, underKey(sp.key(), err))
			return nil
		}
		l.specialize(SpecValue{sp.ID, sp.Name, v})
	}
	push, err := u.job.push(step.PushConstants, s)
	if err != nil {
		u.fail(at, underKey("push_constants", err))
		return nil
	}
	l.Push = push
	return &l
}

// specialize adds a value, over an earlier one for the same constant.
func (l *Launch) specialize(v SpecValue) {
	for i := range l.Specialization {
		if o := &l.Specialization[i]; o.ID == v.ID && o.Name == v.Name {
			*o = v
			return
		}
	}
	l.Specialization = append(l.Specialization, v)
}

// push lays the push constant block out.
func (j *Job) push(list []PushConstant, s scope) (Content, error) {
	var out Content
	for i := range list {
		if err := j.pushOne(&list[i], s, &out); err != nil {
			return out, underKey(indexPath("", i), err)
		}
	}
	return out, nil
}

func (j *Job) pushOne(c *PushConstant, s scope, out *Content) error {
	size := 8
	g := &generator{job: j, scope: s, limit: MaxPushBytes}
	var err error
	if c.Address != "" {
		err = g.address(&Data{AddressOf: c.Address})
	} else {
		size = elementBytes(c.Typed.Type)
		err = g.typed(c.Typed.Type, c.Typed.Type, c.Typed.Values, "")
	}
	if err != nil {
		return err
	}
	next := (len(out.Bytes) + size - 1) / size * size
	at, err := c.Offset.evalInt(s, int64(next), 0, MaxPushBytes)
	if err != nil {
		return underKey("offset", err)
	}
	end := int(at) + len(g.out.Bytes)
	if end > MaxPushBytes {
		return fmt.Errorf("found a block of %d bytes: want at most %d", end, MaxPushBytes)
	}
	if grow := end - len(out.Bytes); grow > 0 {
		out.Bytes = append(out.Bytes, make([]byte, grow)...)
	}
	copy(out.Bytes[at:], g.out.Bytes)
	for _, a := range g.out.Addresses {
		out.Addresses = append(out.Addresses, AddressFixup{At: int(at) + a.At, Buffer: a.Buffer, Plus: a.Plus})
	}
	return nil
}
