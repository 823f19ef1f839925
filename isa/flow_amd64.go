package isa

import (
	"slices"
	"unsafe"
)

// A nativeProgram is a flow in assembly.
type nativeProgram struct {
	steps       []rowStep
	forms       [2]nativeForm
	vectorWords int // words of the vector file
}

// A nativeForm holds the steps for waves with all lanes active, or with some idle.
type nativeForm struct {
	first   []int      // by step of the flow: its first native step
	entries []*rowStep // by instruction: the step at which it is entered
}

// assemble makes the flow of steps.
func (f *CompiledProgram) assemble() {
	if !wideRows {
		return
	}
	n := &f.native
	for which := range n.forms {
		for i := range f.steps {
			at := len(n.steps)
			n.steps = f.assembled(n.steps, i, form(which))
			n.forms[which].first = append(n.forms[which].first, min(at, len(n.steps)-1)) // a branch may take the place of the step before it
		}
	}
	n.steps = append(n.steps, rowStep{}) // a step that leaves is followed by one in any case
	for which := range n.forms {
		f.link(&n.forms[which])
	}
}

// link sets the distances of jumps.
func (f *CompiledProgram) link(n *nativeForm) {
	for i, s := range f.steps {
		x := &f.native.steps[n.first[i]]
		far := func(to *nativeForm) int32 {
			return int32(to.first[f.entries[s.target]]-n.first[i]) * int32(unsafe.Sizeof(*x))
		}
		switch {
		case s.kind == opBranch && slices.Contains(kernels[kernelLessBranch:][:8], x.kernel):
			x.c = far(n)
		case s.kind == opBranch || s.kind == opJump:
			x.b = far(n)
		case s.kind == opMask:
			x.b, x.c = far(&f.native.forms[0]), far(&f.native.forms[1])
		}
	}
	for _, i := range f.entries {
		n.entries = append(n.entries, &f.native.steps[n.first[i]])
	}
}

// assembled puts step i at the end of a list.
func (f *CompiledProgram) assembled(list []rowStep, i int, which form) []rowStep {
	s := &f.steps[i]
	x := rowStep{number: int32(i)}
	switch s.kind {
	case opFused:
		f.native.vectorWords = max(f.native.vectorWords, s.fused.vectorWords)
		first := len(list)
		list = append(list, [][]rowStep{s.fused.steps, s.fused.masked}[which]...)
		for k := range list[first:] {
			list[first+k].number = int32(i)
		}
		return list
	case opEnter:
		x.kernel, x.d, x.a = kernelEnter.in(which), s.target*int32(unsafe.Sizeof(Issued{})), s.count
	case opSkipEntry:
		x.kernel = kernelPass.in(0)
	case opBranch:
		if last := len(list) - 1; f.steps[i-1].fused != nil && list[last].compares(s.in) {
			return append(list[:last], list[last].branch(s.in, i))
		}
		x.kernel, x.a = kernelOfBranch[s.in.Op], 8*int32(s.in.Src[0].Index)
	case opMask:
		x.kernel, x.d, x.a = kernelOfMask(s.in), 8*int32(s.in.Dst.Index), 8*int32(s.in.Src[0].Index)
	case opJump:
		x.kernel, x.a = kernelGo.in(0), s.count
	default:
		x.kernel = kernelLeave.in(0)
	}
	return append(list, x)
}

// compares reports whether a step compares two scalars for the branch in.
func (s *rowStep) compares(in *Inst) bool {
	k := slices.Index(kernels[kernelWordULt:][:4], s.kernel)
	return k >= 0 && NumSources(in.Op) > 0 && s.d == 8*int32(in.Src[0].Index)
}

// branch returns the step with the branch, which is step i of a flow.
func (s rowStep) branch(in *Inst, i int) rowStep {
	which := form(slices.Index(kernels[kernelWordULt:][:4], s.kernel))
	if in.Op == BranchFalse {
		which |= 4
	}
	s.kernel, s.number = kernelLessBranch.in(which), int32(i)
	return s
}

var kernelOfBranch = map[Op]uintptr{BranchTrue: kernelBranch.in(0), BranchFalse: kernelBranch.in(1), BranchExecNZ: kernelBranchActive.in(0), BranchExecZ: kernelBranchActive.in(1)}

// kernelOfMask returns the kernel of an instruction that changes the active lanes.
func kernelOfMask(in *Inst) uintptr {
	switch {
	case in.Op == MaskPark:
		return kernelPark.in(0)
	case in.Op == MaskJoin:
		return kernelJoin.in(0)
	case in.Op == MaskKill:
		return kernelKill.in(0)
	case in.Imm != 0:
		return kernelSplit.in(1)
	}
	return kernelSplit.in(0)
}

// startNative finds the step to begin with.
func (f *CompiledProgram) startNative(st *State, r *CompiledRun, at int32) {
	if !wideRows {
		return
	}
	n := &f.native.forms[0]
	if st.Exec != st.Full {
		n = &f.native.forms[1]
	}
	r.left = n.entries[at]
}

// runFlow carries out steps from the one on at which r was left.
//
//go:noescape
func runFlow(v *uint32, s *uint64, lanes int, r *CompiledRun)

// Run runs the flow until it is left, and returns the number.
func (f *CompiledProgram) Run(st *State, r *CompiledRun) int32 {
	if !wideRows {
		return f.walk(st, r)
	}
	if st.Local != nil {
		r.local, r.size = firstOf(st.Local.Bytes), len(st.Local.Bytes)
	}
	for v := st.V[:f.native.vectorWords]; ; {
		runFlow(firstOf(v), firstOf(st.S), st.Lanes, r)
		left := r.left
		st.Exec = r.exec
		r.left = (*rowStep)(unsafe.Add(unsafe.Pointer(left), unsafe.Sizeof(*left)))
		switch s := &f.steps[left.number]; s.kind {
		case opReturn, opEnd:
			return s.target
		case opEnter:
			r.ResumeAt = s.target
			return OutOfBudget
		case opExecute:
			s.in.Exec(st, s.in)
		case opFused:
			s.fused.fills[left.fill].execute(st)
		}
	}
}
