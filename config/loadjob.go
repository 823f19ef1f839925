package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits of a job, so that a small file can't ask for unbounded work before it runs.
const (
	maxLaunches   = 1 << 17
	maxLoopRounds = 4 * maxLaunches
	maxPushBytes  = 1024
	maxRounds     = 1 << 20
)

// LoadJob reads a job file and checks all of it that can be checked without its shader and its data. Files that it names are
// relative to it, in fsys (nil: OS()).
func LoadJob(fsys fs.FS, name string) (*Job, error) { return LoadJobWith(fsys, name, nil) }

// LoadJobWith is LoadJob with other values (name=value, the value as in a file) of parameters that the job has.
func LoadJobWith(fsys fs.FS, name string, parameters []string) (*Job, error) {
	if fsys == nil {
		fsys = OS()
	}
	data, err := readLimited(fsys, name, maxFileBytes)
	if err != nil {
		return nil, err
	}
	n, err := parseYAML(name, data)
	if err != nil {
		return nil, err
	}
	if err := checkKind(n, name, "job"); err != nil {
		return nil, err
	}
	if err := setParameters(n, name, parameters); err != nil {
		return nil, err
	}
	return parseJobNode(fsys, name, n)
}

// ParseJob is LoadJob for text that is at hand.
func ParseJob(fsys fs.FS, name string, data []byte) (*Job, error) {
	n, err := parseYAML(name, data)
	if err != nil {
		return nil, err
	}
	if err := checkKind(n, name, "job"); err != nil {
		return nil, err
	}
	return parseJobNode(fsys, name, n)
}

func parseJobNode(fsys fs.FS, name string, n *yaml.Node) (*Job, error) {
	r := newReader(name, noSources, reflect.TypeFor[Job]())
	tree := r.value(n, r.root, "", noSources)
	if err := r.err(); err != nil {
		return nil, err
	}
	j := &Job{fsys: fsys, file: name, where: r.where}
	assign(reflect.ValueOf(j).Elem(), tree)
	j.Name = strings.TrimSuffix(path.Base(name), path.Ext(name))
	j.link()
	if err := j.check(); err != nil {
		return nil, err
	}
	return j, nil
}

func (j *Job) link() {
	for i := range j.Buffers {
		j.Buffers[i].job, j.Buffers[i].index = j, i
	}
	for i := range j.Expect {
		j.Expect[i].job, j.Expect[i].index = j, i
	}
}

func (j *Job) check() error {
	ps := checkStruct(reflect.ValueOf(j).Elem(), "")
	ps = append(ps, j.defineParameters()...)
	for _, rule := range jobRules {
		ps = append(ps, rule(j)...)
	}
	if ps == nil {
		_, ps = j.launches()
	}
	return place(ps, j.where)
}

// jobRules are what must hold between fields.
var jobRules = []func(*Job) []problem{ruleWork, ruleQueues, ruleGraph, ruleBuffers, ruleNames, ruleExpect, rulePush, ruleTime, ruleSampling}

// defineParameters works the parameters out in order.
func (j *Job) defineParameters() []problem {
	var ps []problem
	j.scope = scope{}
	for _, v := range j.Parameters {
		n, err := v.Value.eval(j.scope, Number{})
		if err != nil {
			ps = append(ps, problem{joinPath("parameters", v.Name), err.Error(), ErrExpr})
		}
		j.scope[v.Name] = n
	}
	return ps
}

func ruleWork(j *Job) []problem {
	switch {
	case j.IsGraph():
		return j.stepProblems(j.Steps, "steps", j.Shader != "") // and ruleGraph
	case len(j.Queues) > 0:
		return nil // ruleQueues
	case len(j.Steps) == 0 && len(j.Dispatch) == 0 && j.Draw == nil:
		return []problem{{"dispatch", "missing: want dispatch, steps, queues, draw or graph", ErrMissing}}
	case len(j.Steps) > 0 && len(j.Dispatch) > 0:
		return []problem{{"dispatch", "found dispatch and steps: want one of them", ErrRange}}
	case j.Draw != nil && (len(j.Steps) > 0 || len(j.Dispatch) > 0):
		return []problem{{"draw", "found another way to start work: want one of draw, dispatch and steps", ErrRange}}
	case len(j.Steps) == 0 && j.Shader == "":
		return []problem{{"shader", "missing: want a .spv or .spvasm file", ErrMissing}}
	}
	return append(j.drawProblems(j.Draw, "draw"), j.stepProblems(j.Steps, "steps", j.Shader != "")...)
}

func (j *Job) stepProblems(steps []Step, at string, haveShader bool) []problem {
	var ps []problem
	for i := range steps {
		s, p := &steps[i], indexPath(at, i)
		shader := haveShader || s.Shader != ""
		switch {
		case s.kinds() != 1:
			ps = append(ps, problem{p, "want one of dispatch, indirect, draw, graph, copy, transfer and steps", ErrMissing})
		case len(s.Base) > 0 && len(s.Dispatch) == 0 && s.Indirect == nil:
			ps = append(ps, problem{p + ".base", "a base goes with dispatch or indirect", ErrRange})
		case len(s.Graph) > 0 && len(j.Nodes) == 0:
			ps = append(ps, problem{p + ".graph", "the job has no nodes", ErrMissing})
		case s.Copy != nil && s.Copy.To == "":
			ps = append(ps, problem{p + ".copy.to", "missing: want device or host", ErrMissing})
		case (len(s.Dispatch) > 0 || s.Indirect != nil || s.Draw != nil) && !shader:
			ps = append(ps, problem{p + ".shader", "missing: neither the step nor the job has one", ErrMissing})
		}
		ps = append(ps, pushProblems(s.PushConstants, p+".push_constants", j)...)
		ps = append(ps, j.drawProblems(s.Draw, p+".draw")...)
		ps = append(ps, j.memoryProblems(s, p)...)
		ps = append(ps, j.dispatchProblems(s.Graph, p+".graph")...)
		ps = append(ps, j.stepProblems(s.Steps, p+".steps", shader)...)
	}
	return ps
}

// kinds counts the ways in which a step says what to do.
func (s *Step) kinds() (n int) {
	for _, given := range []bool{len(s.Dispatch) > 0, s.Indirect != nil, s.Draw != nil, s.Copy != nil, s.Transfer != nil, len(s.Graph) > 0, len(s.Steps) > 0} {
		if given {
			n++
		}
	}
	return n
}

func ruleBuffers(j *Job) []problem {
	var ps []problem
	for i := range j.Samplers {
		ps = append(ps, indexProblems(j.Samplers[i].Index, indexPath("samplers", i))...)
	}
	for i := range j.Buffers {
		b, p := &j.Buffers[i], indexPath("buffers", i)
		switch {
		case b.PartOf != "":
			ps = append(ps, partProblems(j, i, p)...)
		case b.Offset != "" || b.PartBytes != "":
			ps = append(ps, problem{p, "offset and bytes are of a part: want part_of", ErrRange})
		case b.Image != nil && (b.Data != nil || b.TexelBuffer != ""):
			ps = append(ps, problem{p, "an image has its data inside image, and is no texel buffer", ErrRange})
		case b.Image != nil:
			ps = append(ps, imageProblems(b.Image, p+".image", j)...)
		case b.Data == nil:
			ps = append(ps, problem{p + ".data", "missing: want data (it gives the size) or image", ErrMissing})
		default:
			ps = append(ps, dataProblems(b.Data, p+".data", j)...)
		}
		ps = append(ps, indexProblems(b.Index, p)...)
		if b.TexelBuffer != "" {
			ps = append(ps, formatProblems(b.TexelBuffer, p+".texel_buffer")...)
		}
		for k := range j.Buffers[:i] {
			if o := &j.Buffers[k]; !b.Unbound && !o.Unbound && o.Set == b.Set && o.Binding == b.Binding && o.Index == b.Index {
				ps = append(ps, problem{p, fmt.Sprintf("set %d, binding %d, index %d is bound already by buffers[%d]", b.Set, b.Binding, b.Index, k), ErrRange})
			}
		}
	}
	return ps
}

// partProblems tests a buffer that is a part of another one.
func partProblems(j *Job, i int, p string) (ps []problem) {
	b := &j.Buffers[i]
	whole := slices.IndexFunc(j.Buffers[:i], func(o Buffer) bool { return o.Name == b.PartOf })
	switch {
	case whole < 0:
		ps = append(ps, problem{p + ".part_of", fmt.Sprintf("found %q: want the name of a buffer before this one", b.PartOf), ErrRange})
	case j.Buffers[whole].PartOf != "":
		ps = append(ps, problem{p + ".part_of", fmt.Sprintf("%q is a part itself", b.PartOf), ErrRange})
	}
	if b.Data != nil || b.Address != "" || b.Image != nil && b.Image.Data != nil {
		ps = append(ps, problem{p, "a part has the data and the address of what it is part of", ErrRange})
	}
	if b.Image != nil {
		ps = append(ps, imageProblems(b.Image, p+".image", j)...)
	}
	return ps
}

// maxDescriptors bounds the index into a descriptor array: a million, more than drivers let a stage have
// (maxPerStageDescriptorUpdateAfterBindStorageBuffers).
const maxDescriptors = 1 << 20

func indexProblems(index uint32, at string) []problem {
	if index < maxDescriptors {
		return nil
	}
	return []problem{{at + ".index", fmt.Sprintf("found %d: want at most %d", index, maxDescriptors-1), ErrLimit}}
}

func imageProblems(im *Image, at string, j *Job) []problem {
	ps := formatProblems(im.Format, at+".format")
	if _, err := im.shape(j.scope); err != nil {
		ps = append(ps, problem{at, err.Error(), ErrRange})
	}
	if im.Data != nil {
		ps = append(ps, dataProblems(im.Data, at+".data", j)...)
	}
	return ps
}

func formatProblems(format, at string) []problem {
	if TexelBytes(format) > 0 {
		return nil
	}
	var known []string
	for _, f := range texelFormats {
		known = append(known, f.name)
	}
	msg := fmt.Sprintf("found %q: want a SPIR-V image format such as Rgba32f", format)
	if n := Nearest(format, known); n != "" {
		msg += fmt.Sprintf(" (nearest: %s)", n)
	}
	return []problem{{at, msg, ErrRange}}
}

// dataProblems checks that data has one kind and names buffers that exist.
func dataProblems(d *Data, at string, j *Job) []problem {
	var ps []problem
	if names := d.kindNames(); len(names) != 1 {
		ps = append(ps, problem{at, fmt.Sprintf("found %s: want exactly one of iota, zero, file, random, values, address_of, repeat, parts", listOrNone(names)), ErrRange})
	}
	ps = append(ps, d.strayProblems(at)...)
	if d.AddressOf != "" {
		ps = append(ps, j.bufferProblems(d.AddressOf, at+".address_of")...)
	}
	if d.Repeat != nil && d.Repeat.Data == nil {
		ps = append(ps, problem{at + ".repeat.data", "missing", ErrMissing})
	} else if d.Repeat != nil {
		ps = append(ps, dataProblems(d.Repeat.Data, at+".repeat.data", j)...)
	}
	for i := range d.Parts {
		ps = append(ps, dataProblems(&d.Parts[i], indexPath(at+".parts", i), j)...)
	}
	return ps
}

// strayProblems refuses keys that say nothing of the data's kind, and random data of no size.
func (d *Data) strayProblems(at string) []problem {
	var ps []problem
	for _, k := range []struct {
		name string
		set  bool
		acts bool
	}{
		{"count", d.Count != "", d.Iota != "" || d.Values != nil}, {"start", d.Start != "", d.Iota != ""}, {"step", d.Step != "", d.Iota != ""},
		{"offset", d.Offset != "", d.File != ""}, {"bytes", d.Bytes != "", d.File != ""}, {"type", d.Type != "", d.Values != nil},
	} {
		kinds := d.kindNames()
		if !k.set || k.acts || len(kinds) != 1 {
			continue
		}
		msg := fmt.Sprintf("%s data has no %s", kinds[0], k.name)
		if d.Random != nil && (k.name == "count" || k.name == "type") {
			msg += fmt.Sprintf(" beside it: want it inside, as in random: {%s: ...}", k.name)
		}
		ps = append(ps, problem{at + "." + k.name, msg, ErrRange})
	}
	if d.Random != nil && d.Random.Count == "" {
		ps = append(ps, problem{at + ".random.count", "missing", ErrMissing})
	}
	return ps
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " and ")
}

func (j *Job) bufferProblems(name, at string) []problem {
	var known []string
	for i := range j.Buffers {
		known = append(known, j.Buffers[i].Name)
	}
	if name != "" && slices.Contains(known, name) {
		return nil
	}
	msg := fmt.Sprintf("no buffer is named %q", name)
	if n := Nearest(name, known); n != "" {
		msg += fmt.Sprintf(" (nearest: %s)", n)
	}
	return []problem{{at, msg, ErrReference}}
}

func ruleNames(j *Job) []problem {
	var ps []problem
	seen := map[string]bool{}
	for i := range j.Buffers {
		name := j.Buffers[i].Name
		if name != "" && seen[name] {
			ps = append(ps, problem{indexPath("buffers", i) + ".name", fmt.Sprintf("%q is the name of another buffer", name), ErrRange})
		}
		seen[name] = true
	}
	return ps
}

func ruleExpect(j *Job) []problem {
	var ps []problem
	for i := range j.Expect {
		e, p := &j.Expect[i], indexPath("expect", i)
		ps = append(ps, j.bufferProblems(e.Buffer, p+".buffer")...)
		kinds := 0
		for _, given := range []bool{e.Typed.Type != "", e.Data != nil, e.File != "", e.SHA256 != ""} {
			if given {
				kinds++
			}
		}
		if kinds != 1 {
			ps = append(ps, problem{p, fmt.Sprintf("found %d expectations: want one of a typed list (u32: [...]), data, file, sha256", kinds), ErrRange})
		}
		if e.Data != nil {
			ps = append(ps, dataProblems(e.Data, p+".data", j)...)
		}
		if e.Tolerance > 0 && e.element() == "" {
			ps = append(ps, problem{p + ".tolerance", "the element type is not known: want as: f32 or the like", ErrMissing})
		}
	}
	return ps
}

func rulePush(j *Job) []problem { return pushProblems(j.PushConstants, "push_constants", j) }

func pushProblems(list []PushConstant, at string, j *Job) []problem {
	var ps []problem
	for i := range list {
		c, p := &list[i], indexPath(at, i)
		if (c.Typed.Type == "") == (c.Address == "") {
			ps = append(ps, problem{p, "want one typed value (u32: 1) or address", ErrRange})
		} else if c.Address != "" {
			ps = append(ps, j.bufferProblems(c.Address, p+".address")...)
		}
	}
	return ps
}

// Rounds is how often the whole job runs; only the last round is reported.
func (j *Job) Rounds() (int, error) {
	n, ps := j.rounds()
	return n, place(ps, j.where)
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
	return l, place(ps, j.where)
}

func (j *Job) launches() ([]Launch, []problem) {
	if _, ps := j.rounds(); ps != nil {
		return nil, ps
	}
	if j.IsGraph() {
		if _, ps := j.graphWork(); ps != nil || len(j.Steps) == 0 && len(j.Queues) == 0 {
			return nil, ps
		}
	}
	u := &unroller{job: j}
	top := Step{Shader: j.Shader, Entry: j.Entry, Specialization: j.Specialization, PushConstants: j.PushConstants, Dispatch: j.Dispatch, Base: j.Base, Draw: j.Draw, Barrier: true}
	switch {
	case len(j.Queues) > 0:
		if _, ps := j.queueCalls(); ps != nil {
			return nil, ps
		}
		u.queues(&top)
	case len(j.Steps) == 0:
		u.launch(&top, j.scope, "")
	default:
		u.steps(j.Steps, &top, j.scope, "steps")
	}
	if u.problems != nil {
		return nil, u.problems
	}
	return u.out, nil
}

// unroller turns steps into launches; it stops at the first problem, as the next rounds of a loop would repeat it.
type unroller struct {
	job      *Job
	out      []Launch
	after    [][]string // by launch of a queue: the steps that it names
	rounds   int
	problems []problem
}

func (u *unroller) fail(path string, err error) {
	u.problems = append(u.problems, problem{path, err.Error(), ErrExpr})
}

func (u *unroller) steps(steps []Step, outer *Step, s scope, at string) {
	for i := range steps {
		step := inherit(&steps[i], outer)
		u.loop(&step, step.For, s, indexPath(at, i))
	}
}

// inherit fills what a step leaves out from the step or job around it.
func inherit(s, outer *Step) Step {
	out := *s
	if out.Name == "" {
		out.Name = outer.Name
	}
	if out.Shader == "" {
		out.Shader = outer.Shader
		if out.Entry == "" {
			out.Entry = outer.Entry
		}
	}
	if out.PushConstants == nil {
		out.PushConstants = outer.PushConstants
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
	if out.Mode == "" {
		out.Mode = outer.Mode
	}
	return out
}

func (u *unroller) loop(step *Step, loops []Loop, s scope, at string) {
	if u.problems != nil {
		return
	}
	if len(loops) == 0 {
		u.body(step, s, at)
		return
	}
	l := loops[0]
	p := joinPath(at+".for", l.Name)
	first, err1 := l.First.evalInt(s, 0, math.MinInt32, math.MaxInt32)
	last, err2 := l.Last.evalInt(s, 0, math.MinInt32, math.MaxInt32)
	if err := errors.Join(err1, err2); err != nil {
		u.fail(p, err)
		return
	}
	inner := scope{}
	for k, v := range s {
		inner[k] = v
	}
	for i := first; i <= last && u.problems == nil; i++ {
		inner[l.Name] = Number{Int: i}
		if u.rounds++; u.rounds > maxLoopRounds {
			u.problems = append(u.problems, problem{p, fmt.Sprintf("more than %d rounds of loops", maxLoopRounds), ErrLimit})
			return
		}
		u.loop(step, loops[1:], inner, at)
	}
}

func (u *unroller) body(step *Step, s scope, at string) {
	if before := len(u.out); len(u.job.Queues) > 0 && len(step.Steps) == 0 {
		defer func() {
			if len(u.out) > before {
				l := &u.out[before]
				l.Barrier, l.Release, l.Acquire = step.Barrier, step.Release, step.Acquire
				u.after = append(u.after, step.After)
			}
		}()
	}
	switch {
	case len(step.Steps) > 0:
		u.steps(step.Steps, step, s, at+".steps")
	case len(u.out) == maxLaunches:
		u.problems = append(u.problems, problem{at, fmt.Sprintf("more than %d launches", maxLaunches), ErrLimit})
	case step.Copy != nil:
		u.copy(step, s, at)
	case step.Transfer != nil:
		u.transfer(step, s, at)
	default:
		u.launch(step, s, at)
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
	u.out = append(u.out, Launch{Step: step.Name, Copy: &CopyCall{step.Copy.To == "host", n}, Path: at, Once: step.Once, Mode: step.Mode})
}

func (u *unroller) launch(step *Step, s scope, at string) {
	l := Launch{Step: step.Name, Shader: step.Shader, Entry: step.Entry, Path: at, Once: step.Once, Mode: step.Mode,
		WaveSize: step.WaveSize, Bindings: step.Bindings, Samplers: step.Samplers}
	if !u.grid(step, &l, s, at) {
		return
	}
	if step.Draw != nil {
		draw, err := u.job.call(step.Draw, s)
		if err != nil {
			u.fail(sub(at, "draw"), err)
			return
		}
		l.Draw = draw
	}
	for i := range step.Graph {
		d, err := u.job.payloadDispatch(&step.Graph[i], s)
		if err != nil {
			u.fail(indexPath(sub(at, "graph"), i), err)
			return
		}
		l.Graph = append(l.Graph, d)
	}
	for _, sp := range step.Specialization {
		v, err := sp.Value.eval(s, Number{})
		if err != nil {
			u.fail(sub(at, "specialization"), err)
			return
		}
		l.specialize(SpecValue{sp.ID, sp.Name, v})
	}
	push, err := u.job.push(step.PushConstants, s)
	if err != nil {
		u.fail(sub(at, "push_constants"), err)
		return
	}
	l.Push = push
	u.out = append(u.out, l)
}

func sub(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// Fault is what is wrong with a key of the launch (shader, entry), at the key's place in the job file: in the step or node, else in
// the job.
func (j *Job) Fault(l *Launch, key string, err error) error {
	p := sub(l.Path, key)
	if _, there := j.where[p]; !there {
		p = key
	}
	if _, there := j.where[p]; !there {
		p = l.Path
	}
	at := lookupPosition(j.where, p)
	return &Error{File: at.file, Line: at.line, Path: p, Msg: withoutPrefix(err), Kind: ErrReference}
}

// withoutPrefix is the text of an error of this package without the words that every one begins with.
func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "config: ") }

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
			return out, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return out, nil
}

func (j *Job) pushOne(c *PushConstant, s scope, out *Content) error {
	size := 8
	g := &generator{job: j, scope: s, limit: maxPushBytes}
	var err error
	if c.Address != "" {
		err = g.address(&Data{AddressOf: c.Address})
	} else {
		size = elementBytes(c.Typed.Type)
		err = g.typed(c.Typed.Type, c.Typed.Values, "")
	}
	if err != nil {
		return err
	}
	next := (len(out.Bytes) + size - 1) / size * size
	at, err := c.Offset.evalInt(s, int64(next), 0, maxPushBytes)
	if err != nil {
		return fmt.Errorf("offset: %w", err)
	}
	end := int(at) + len(g.out.Bytes)
	if end > maxPushBytes {
		return fmt.Errorf("the block is larger than %d bytes", maxPushBytes)
	}
	if grow := end - len(out.Bytes); grow > 0 {
		out.Bytes = append(out.Bytes, make([]byte, grow)...)
	}
	copy(out.Bytes[at:], g.out.Bytes)
	for _, a := range g.out.Addresses {
		out.Addresses = append(out.Addresses, AddressFixup{int(at) + a.At, a.Buffer})
	}
	return nil
}
