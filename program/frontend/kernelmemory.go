package frontend

import (
	"fmt"
	"regexp"
	"strings"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// openCLMemory has a row for each instruction of OpenCL.std that accesses memory.
var openCLMemory map[spirv.OpenCLstd]func(b *builder)

func init() {
	load := func(half, aligned bool) func(b *builder) { return func(b *builder) { b.vload(half, aligned) } }
	store := func(half, aligned bool) func(b *builder) { return func(b *builder) { b.vstore(half, aligned) } }
	openCLMemory = map[spirv.OpenCLstd]func(b *builder){
		spirv.OpenCLstdVloadn:        load(false, false),
		spirv.OpenCLstdVloadHalf:     load(true, false),
		spirv.OpenCLstdVloadHalfn:    load(true, false),
		spirv.OpenCLstdVloadaHalfn:   load(true, true),
		spirv.OpenCLstdVstoren:       store(false, false),
		spirv.OpenCLstdVstoreHalf:    store(true, false),
		spirv.OpenCLstdVstoreHalfR:   store(true, false),
		spirv.OpenCLstdVstoreHalfn:   store(true, false),
		spirv.OpenCLstdVstoreHalfnR:  store(true, false),
		spirv.OpenCLstdVstoreaHalfn:  store(true, true),
		spirv.OpenCLstdVstoreaHalfnR: store(true, true),
		spirv.OpenCLstdPrefetch:      func(*builder) {}, // a hint
		spirv.OpenCLstdPrintf:        (*builder).printf,
	}
}

// vectorAt returns the pointer to a vector of n scalars of a type, by its index. Vectors are aligned as their scalars or, if
// aligned, as vectors in memory are, where three components take the place of four.
func (b *builder) vectorAt(address, index spirv.ID, scalar isa.Type, n int, aligned bool) pointer {
	p := b.anyPtr(address)
	if aligned && n == 3 {
		n = 4
	}
	p = b.addIndex(p, index, uint32(n)*memBytes(scalar), 0)
	if align := memBytes(scalar) * uint32(n); aligned && p.index != nil && p.offset%align == 0 {
		p.align = min(align, baseAlign)
	}
	return p
}

// runs calls f with the chunks of n scalars that follow each other.
func runs(t isa.Type, n int, f func(c chunk, from int)) {
	for i := 0; i < n; i += 4 {
		f(chunk{off: uint32(i) * memBytes(t), t: t, n: uint8(min(n-i, 4))}, i)
	}
}

// vload carries out vloadn, vload_half, vload_halfn and vloada_halfn: offset, pointer.
func (b *builder) vload(half, aligned bool) {
	t := b.comp(b.resultType())
	in := t
	if half {
		in = isa.F16
	}
	n := len(b.leafTypes(b.resultType()))
	p := b.vectorAt(b.arg(3), b.arg(2), in, n, aligned)
	out := make([]*ir.Value, 0, n)
	runs(in, n, func(c chunk, _ int) { out = append(out, b.loadChunk(p, c)...) })
	for i, v := range out {
		out[i] = b.floatTo(v, t)
	}
	b.set(out...)
}

// vstore carries out vstoren, vstore_half, vstore_halfn and vstorea_halfn, with a rounding mode or without: data, offset, pointer.
func (b *builder) vstore(half, aligned bool) {
	leaves := b.leaves(b.arg(2))
	t, mode := leaves[0].R, spirv.FPRoundingModeRTE
	if half {
		t = isa.F16
		if len(b.in.Operands) > 5 {
			mode = spirv.FPRoundingMode(b.in.Operands[5])
		}
	}
	p := b.vectorAt(b.arg(4), b.arg(3), t, len(leaves), aligned)
	out := make([]*ir.Value, len(leaves))
	for i, v := range leaves {
		if out[i] = v; v.R != t {
			out[i] = b.rounded(isa.FConvert, v, t, mode)
		}
	}
	runs(t, len(out), func(c chunk, from int) { b.storeChunk(p, c, out[from:from+int(c.n)]) })
}

// printf prints by the rules of DebugPrintf. The result is 0: nothing fails.
func (b *builder) printf() {
	var args []*ir.Value
	var strs []string
	for i := 3; i < len(b.in.Operands); i++ {
		id := b.arg(i)
		if t := b.typeOf(id); t.Kind == validate.KindPointer && t.Storage == spirv.StorageClassUniformConstant {
			strs = append(strs, b.constantString(id))
			continue
		}
		args = append(args, b.leaves(id)...)
	}
	b.print(b.withStrings(b.constantString(b.arg(2)), strs), args)
	b.set(b.i32(0))
}

// conversion matches a conversion of OpenCL C's printf: flags, width and precision, vector size, length, kind.
var conversion = regexp.MustCompile(`%([-+ #0]*[0-9]*(?:\.[0-9]*)?)(v[0-9]+)?(hh|hl|h|l)?([a-zA-Z%])`)

// withStrings puts literal strings in the place of their conversions, and drops lengths, which the values have.
func (b *builder) withStrings(format string, strs []string) string {
	return conversion.ReplaceAllStringFunc(format, func(text string) string {
		part := conversion.FindStringSubmatch(text)
		if part[4] != "s" {
			return "%" + part[1] + part[2] + part[4]
		}
		if len(strs) == 0 {
			b.unsupported("a string of printf that is not a literal")
		}
		s := strs[0]
		strs = strs[1:]
		return strings.ReplaceAll(fmt.Sprintf("%"+part[1]+"s", s), "%", "%%")
	})
}

// constantString reads the characters behind a pointer into the constant data.
func (b *builder) constantString(id spirv.ID) string {
	p := b.anyPtr(id)
	if !p.tabled || p.index != nil || int(p.offset) > len(b.f.Constants) {
		b.unsupported("a format of printf that is not a literal")
	}
	text, _, ended := strings.Cut(string(b.f.Constants[p.offset:]), "\x00")
	if !ended {
		b.invalid("a format of printf without an end")
	}
	return text
}

func asyncRows() map[spirv.Op]row[*builder] {
	return map[spirv.Op]row[*builder]{
		spirv.OpGroupAsyncCopy:  {translate: (*builder).asyncCopy},
		spirv.OpGroupWaitEvents: {translate: (*builder).waitEvents},
	}
}

// asyncCopy carries out OpGroupAsyncCopy: the work-items of a workgroup copy in turn, as in AMD's device libraries. The stride
// is that of the memory outside of the LDS.
func (b *builder) asyncCopy() {
	if s := spirv.Scope(b.constBits(b.arg(0))); s != spirv.ScopeWorkgroup {
		b.unsupported("scope %s", s)
	}
	dst, src := b.anyPtr(b.arg(1)), b.anyPtr(b.arg(2))
	n, stride := b.widen(b.scalarOf(b.arg(3)), isa.I32), b.widen(b.scalarOf(b.arg(4)), isa.I32)
	first := b.builtin(spirv.BuiltInLocalInvocationIndex)[0]
	size := b.builtin(spirv.BuiltInWorkgroupSize)
	event := b.leaves(b.arg(5))

	from, header, body, after := b.blk, b.newBlock(), b.newBlock(), b.newBlock()
	for _, blk := range []*ir.Block{header, body, after} {
		blk.Line = b.line
	}
	from.SetSuccs(ir.Jump, nil, header)
	b.blk = header
	i := b.phi(header, isa.I32)
	header.SetSuccs(ir.Cond, b.compare(isa.ULt, isa.I32, i, n), body, after)
	b.blk = body
	far := b.op(isa.IMul, isa.I32, i, stride)
	if dst.space == isa.SpaceLDS {
		b.storeLeaves(b.elementAt(dst, i), b.loadLeaves(b.elementAt(src, far)))
	} else {
		b.storeLeaves(b.elementAt(dst, far), b.loadLeaves(b.elementAt(src, i)))
	}
	next := b.op(isa.IAdd, isa.I32, i, b.join(isa.IMul, size))
	body.SetSuccs(ir.Jump, nil, header)
	i.Args = []*ir.Value{first, next}
	b.blk = after
	b.set(event...)
}

// elementAt steps over elements of the pointee's type.
func (b *builder) elementAt(p pointer, i *ir.Value) pointer {
	size, align := b.placeOf(p.typ)
	t := p.addressType()
	by := b.op(isa.IMul, t, b.widen(i, t), b.constant(t, uint64(size)))
	if p.index != nil {
		by = b.op(isa.IAdd, t, p.index, by)
	}
	p.index, p.align = by, min(align, baseAlign)
	return p
}

// waitEvents waits for the copies of all work-items.
func (b *builder) waitEvents() {
	b.emit(isa.MemoryBarrier, isa.Void, isa.Void)
	b.emit(isa.Barrier, isa.Void, isa.Void)
}
