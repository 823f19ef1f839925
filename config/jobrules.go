package config

import "fmt"

func ruleWork(j *Job) []problem {
	switch {
	case j.IsGraph():
		return j.stepProblems(j.Steps, "steps", j.Shader != "") // and ruleGraph
	case len(j.Queues) > 0:
		return nil // ruleQueues
	case len(j.Steps) == 0 && len(j.Dispatch) == 0 && len(j.Global) == 0 && j.Draw == nil:
		return []problem{{"dispatch", "missing: want dispatch, global, steps, queues, draw or graph", ErrMissing}}
	case len(j.Global) > 0 && (len(j.Dispatch) > 0 || len(j.Steps) > 0 || j.Draw != nil):
		return []problem{{"global", "found another way to start work: want one of global, dispatch, draw and steps", ErrRange}}
	case len(j.Steps) > 0 && len(j.Dispatch) > 0:
		return []problem{{"dispatch", "found dispatch and steps: want one of them", ErrRange}}
	case j.Draw != nil && (len(j.Steps) > 0 || len(j.Dispatch) > 0):
		return []problem{{"draw", "found another way to start work: want one of draw, dispatch and steps", ErrRange}}
	case len(j.Steps) == 0 && j.Shader == "":
		return []problem{{"shader", "missing: want a .spv, .spvasm or .cl file", ErrMissing}}
	}
	top := Step{Global: j.Global, Local: j.Local, GlobalOffset: j.GlobalOffset, Base: j.Base}
	return append(append(j.drawProblems(j.Draw, "draw"), kernelProblems(&top, "")...), j.stepProblems(j.Steps, "steps", j.Shader != "")...)
}

func (j *Job) stepProblems(steps []Step, at string, haveShader bool) []problem {
	var ps []problem
	for i := range steps {
		s, p := &steps[i], indexPath(at, i)
		shader := haveShader || s.Shader != ""
		switch {
		case s.kinds() != 1:
			ps = append(ps, problem{p, fmt.Sprintf("found %d ways to start work: want one of dispatch, global, indirect, draw, graph, copy, transfer, synchronize and steps", s.kinds()), ErrMissing})
		case len(s.Base) > 0 && len(s.Dispatch) == 0 && len(s.Global) == 0 && s.Indirect == nil:
			ps = append(ps, problem{p + ".base", "found a base without a dispatch: want dispatch or indirect too", ErrRange})
		case len(s.Graph) > 0 && len(j.Nodes) == 0:
			ps = append(ps, problem{p + ".graph", "found a dispatch to a graph, but the job has no nodes: want nodes", ErrMissing})
		case s.Copy != nil && s.Copy.To == "":
			ps = append(ps, problem{p + ".copy.to", "missing: want device or host", ErrMissing})
		case (len(s.Dispatch) > 0 || len(s.Global) > 0 || s.Indirect != nil || s.Draw != nil) && !shader:
			ps = append(ps, problem{p + ".shader", "missing: want a .spv, .spvasm or .cl file, here or in the job", ErrMissing})
		}
		ps = append(ps, kernelProblems(s, p)...)
		ps = append(ps, pushProblems(s.PushConstants, p+".push_constants", j)...)
		ps = append(ps, j.drawProblems(s.Draw, p+".draw")...)
		ps = append(ps, j.memoryProblems(s, p)...)
		ps = append(ps, j.dispatchProblems(s.Graph, p+".graph")...)
		ps = append(ps, j.stepProblems(s.Steps, p+".steps", shader)...)
	}
	return ps
}

// kinds counts the kinds of work that a step specifies.
func (s *Step) kinds() (n int) {
	for _, given := range []bool{len(s.Dispatch) > 0, len(s.Global) > 0, s.Indirect != nil, s.Draw != nil, s.Copy != nil, s.Transfer != nil, s.Synchronize, len(s.Graph) > 0, len(s.Steps) > 0} {
		if given {
			n++
		}
	}
	return n
}

func ruleNames(j *Job) []problem {
	var ps []problem
	seen := map[string]bool{}
	for i := range j.Buffers {
		name := j.Buffers[i].Name
		if name != "" && seen[name] {
			ps = append(ps, problem{indexPath("buffers", i) + ".name", fmt.Sprintf("found %q, which is the name of another buffer: want a new name", name), ErrRange})
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
			ps = append(ps, problem{p + ".tolerance", "found data without an element type: want as (as: f32)", ErrMissing})
		}
	}
	return ps
}

// numberProblems evaluates the numbers of buffers and expectations without generating bytes, so that an invalid one is
// refused before the run.
func (j *Job) numberProblems() (ps []problem) {
	note := func(path string, err error) {
		if err != nil {
			ps = append(ps, problemAt(path, err, ErrRange))
		}
	}
	dry := func() *generator { return &generator{job: j, scope: j.scope, limit: maxDataBytes, dry: true} }
	for i := range j.Buffers {
		b, p := &j.Buffers[i], indexPath("buffers", i)
		if d, key := b.contents(); d != nil {
			note(p+"."+key, dry().data(d))
		}
		_, key, err := b.location(func(int) uint64 { return maxDataBytes })
		note(p+"."+key, err)
	}
	for i := range j.Expect {
		e, p := &j.Expect[i], indexPath("expect", i)
		if e.SHA256 == "" {
			note(p, e.generate(dry()))
		}
		_, err := e.Offset.evalInt(j.scope, 0, 0, maxDataBytes)
		note(p+".offset", err)
		_, err = e.Bytes.evalInt(j.scope, 0, 0, maxDataBytes)
		note(p+".bytes", err)
	}
	return ps
}

func rulePush(j *Job) []problem { return pushProblems(j.PushConstants, "push_constants", j) }

func pushProblems(list []PushConstant, at string, j *Job) []problem {
	var ps []problem
	for i := range list {
		c, p := &list[i], indexPath(at, i)
		if (c.Typed.Type == "") == (c.Address == "") {
			ps = append(ps, problem{p, "found both or neither of a typed value and address: want one typed value (u32: 1) or address", ErrRange})
		} else if c.Address != "" {
			ps = append(ps, j.bufferProblems(c.Address, p+".address")...)
		}
	}
	return ps
}
