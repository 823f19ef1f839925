package isa

// Modifiers holds modifiers that the encoding of a vector instruction has at no cost: signs of its sources, and a
// result clamped to 0 to 1 (RDNA 3 ISA, VOP3: NEG, ABS, CLMP). They apply to sources and results of type F32.
type Modifiers struct {
	Neg, Abs uint8 // bit k: source k; the sign is applied after the magnitude
	Clamp    bool
}

func (m Modifiers) Any() bool { return m != Modifiers{} }

// masks returns the masks with which source k is anded and then xored.
func (m Modifiers) masks(k int) (and, xor uint32) {
	and = ^uint32(0) >> (m.Abs >> k & 1)
	return and, uint32(m.Neg>>k&1) << 31
}

// Source returns source k with its modifiers applied.
func (m Modifiers) Source(k int, x uint64) uint64 {
	if (m.Neg|m.Abs)>>k&1 == 0 {
		return x
	}
	and, xor := m.masks(k)
	return uint64(uint32(x)&and ^ xor)
}

// Result returns a result with its modifier applied: min(max(x, 0), 1) for Clamp.
func (m Modifiers) Result(x uint64) uint64 {
	if !m.Clamp {
		return x
	}
	return uint64(clamp32(uint32(x)))
}

func clamp32(x uint32) uint32 { return fmin32(fmax32(x, 0), word32(1)) }

// resolveModified executes an instruction on sources that have been put, with
// their signs, into the rows from ModRow on.
func resolveModified(in *Inst) func(*State, *Inst) {
	plain := *in
	plain.Mod, plain.Second = Modifiers{}, nil
	changed := in.Mod.Neg | in.Mod.Abs
	for k := range plain.Src {
		if changed>>k&1 != 0 {
			plain.Src[k] = V(int(in.ModRow) + k)
		}
	}
	exec := execOf(&plain)
	return func(st *State, in *Inst) {
		for k := range in.Src {
			if changed>>k&1 != 0 {
				st.modify(in, k)
			}
		}
		exec(st, &plain)
		if in.Mod.Clamp {
			st.clampRow(in.Dst)
		}
	}
}

func (st *State) modify(in *Inst, k int) {
	and, xor := in.Mod.masks(k)
	d := st.row(V(int(in.ModRow)+k), 0)
	s := st.broadcast(in.Src[k], k)[:len(d)]
	for i := range d {
		d[i] = s[i]&and ^ xor
	}
}

func (st *State) clampRow(r Reg) {
	d := st.row(r, 0)
	for l := range d {
		if st.Exec>>l&1 != 0 {
			d[l] = clamp32(d[l])
		}
	}
}
