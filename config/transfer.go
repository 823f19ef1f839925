package config

import "math"

// The memory operations of a step: indirect workgroup counts, and transfers.

// memoryProblems checks the buffers that a step names.
func (j *Job) memoryProblems(s *Step, p string) (ps []problem) {
	if s.Indirect != nil {
		ps = append(ps, j.bufferProblems(s.Indirect.Buffer, p+".indirect.buffer")...)
	}
	for k := range s.Bindings {
		ps = append(ps, j.bufferProblems(s.Bindings[k].Buffer, indexPath(p+".bindings", k)+".buffer")...)
	}
	for k := range s.Samplers {
		ps = append(ps, indexProblems(s.Samplers[k].Index, indexPath(p+".samplers", k))...)
	}
	if s.Transfer == nil {
		return ps
	}
	for k := range s.Transfer.Moves {
		m, at := &s.Transfer.Moves[k], indexPath(p+".transfer.moves", k)
		ps = append(ps, j.bufferProblems(m.To, at+".to")...)
		switch {
		case (m.From == "") == (m.Data == nil):
			ps = append(ps, problem{at, "found both or neither of from and data: want one of them", ErrRange})
		case m.Data != nil && (m.Offset != "" || m.OfRow != ""):
			ps = append(ps, problem{at, "found offset or from_row with data: want from", ErrRange})
		case m.Data != nil:
			ps = append(ps, dataProblems(m.Data, at+".data", j)...)
		default:
			ps = append(ps, j.bufferProblems(m.From, at+".from")...)
		}
		if m.Bytes == "" {
			ps = append(ps, problem{at + ".bytes", "missing: want the number of bytes in a row", ErrMissing})
		}
	}
	return ps
}

// grid evaluates the workgroups of a launch, and their base.
func (u *unroller) grid(step *Step, l *Launch, s scope, at string) bool {
	if len(step.Global) > 0 {
		return u.kernelCall(step, l, s, at)
	}
	l.Dispatch = [3]uint32{1, 1, 1}
	for _, list := range []struct {
		key  string
		from []Expr
		to   *[3]uint32
	}{{"dispatch", step.Dispatch, &l.Dispatch}, {"base", step.Base, &l.Base}} {
		for i, e := range list.from {
			n, err := e.evalInt(s, 1, 0, math.MaxUint32)
			if err != nil {
				u.fail(indexPath(sub(at, list.key), i), err)
				return false
			}
			list.to[i] = uint32(n)
		}
	}
	if step.Indirect == nil {
		return true
	}
	offset, err := step.Indirect.Offset.evalInt(s, 0, 0, maxDataBytes)
	if err != nil {
		u.fail(sub(at, "indirect.offset"), err)
		return false
	}
	l.Indirect = &IndirectAt{step.Indirect.Buffer, uint64(offset)}
	return true
}

func (u *unroller) transfer(step *Step, s scope, at string) {
	n, err := step.Transfer.Bytes.evalInt(s, 0, 0, maxCopyBytes)
	if err != nil {
		u.fail(sub(at, "transfer.bytes"), err)
		return
	}
	call := &TransferCall{Bytes: uint64(n)}
	for i := range step.Transfer.Moves {
		m, key, err := u.job.evalMove(&step.Transfer.Moves[i], s)
		if err != nil {
			u.fail(indexPath(sub(at, "transfer.moves"), i)+"."+key, err)
			return
		}
		call.Moves = append(call.Moves, m)
	}
	u.add(&Launch{Step: step.Name, Transfer: call, Path: at, Once: step.Once, Mode: step.Mode})
}

// evalMove evaluates a move; key is the key that an error refers to.
func (j *Job) evalMove(m *TransferMove, s scope) (out MoveCall, key string, err error) {
	out = MoveCall{To: m.To, From: m.From}
	for _, e := range []struct {
		key    string
		from   Expr
		absent func() int64
		to     *uint64
	}{
		{"at", m.At, func() int64 { return 0 }, &out.At},
		{"offset", m.Offset, func() int64 { return 0 }, &out.Offset},
		{"bytes", m.Bytes, func() int64 { return 0 }, &out.Bytes},
		{"rows", m.Rows, func() int64 { return 1 }, &out.Rows},
		{"to_row", m.ToRow, func() int64 { return int64(out.Bytes) }, &out.ToStride},
		{"from_row", m.OfRow, func() int64 { return int64(out.Bytes) }, &out.OfStride},
	} {
		n, err := e.from.evalInt(s, e.absent(), 0, maxDataBytes)
		if err != nil {
			return out, e.key, err
		}
		*e.to = uint64(n)
	}
	c, err := j.content(m.Data, s, maxDataBytes)
	out.Data = c.Bytes
	return out, "data", err
}
