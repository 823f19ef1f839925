package ir

import (
	"errors"
	"fmt"

	"spvsim/isa"
)

// Verify reports all violations of the form's rules: inconsistent edges, phis whose number of arguments differs from
// that of their block's predecessors, values used where their definition does not reach, wrong numbers of memory
// arguments, and types that have to agree but differ.
func Verify(f *Func) error {
	c := &verifier{f: f, in: map[*Block]bool{}, definitions: map[*Value]definition{}}
	if len(f.Blocks) == 0 {
		return errors.New("ir: no blocks")
	}
	for _, b := range f.Blocks {
		if c.in[b] {
			c.fault(b, nil, "the block is listed twice")
		}
		c.in[b] = true
	}
	for _, b := range f.Blocks {
		c.edges(b)
		c.recordDefinitions(b)
	}
	if len(c.errs) == 0 {
		c.order = NewOrder(f)
		for _, b := range f.Blocks {
			c.block(b)
		}
	}
	return errors.Join(c.errs...)
}

type definition struct {
	block *Block
	n     int
}

type verifier struct {
	f           *Func
	in          map[*Block]bool
	definitions map[*Value]definition
	order       *Order
	errs        []error
}

func (c *verifier) fault(b *Block, v *Value, format string, args ...any) {
	if len(c.errs) > 20 {
		return
	}
	where := fmt.Sprintf("ir: b%d", b.ID)
	if v != nil {
		where += fmt.Sprintf(": %s", v)
	}
	c.errs = append(c.errs, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

var termSuccs = [...]int{1, 2, 0, 0}

func (c *verifier) edges(b *Block) {
	if len(b.Succs) != termSuccs[b.Term] {
		c.fault(b, nil, "%d successors of a %s", len(b.Succs), termNames[b.Term])
	}
	if (b.Term == Cond) != (b.Cond != nil) {
		c.fault(b, nil, "condition of a %s", termNames[b.Term])
	}
	for _, s := range b.Succs {
		if !c.in[s] {
			c.fault(b, nil, "successor b%d is not in the function", s.ID)
		} else if count(s.Preds, b) != count(b.Succs, s) {
			c.fault(b, nil, "b%d does not have it as predecessor as often", s.ID)
		}
	}
	for _, p := range b.Preds {
		if !c.in[p] || count(p.Succs, b) == 0 {
			c.fault(b, nil, "b%d is not a predecessor", p.ID)
		}
	}
	for _, t := range []*Block{b.Merge, b.Continue} {
		if t != nil && !c.in[t] {
			c.fault(b, nil, "merge or continue target b%d is not in the function", t.ID)
		}
	}
}

func count(list []*Block, b *Block) int {
	n := 0
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

func (c *verifier) recordDefinitions(b *Block) {
	for i, v := range b.Phis {
		if v.Op != isa.Phi {
			c.fault(b, v, "no phi among the phis")
		}
		c.recordValue(b, v, i-len(b.Phis))
	}
	for i, v := range b.Code {
		if v.Op == isa.Phi {
			c.fault(b, v, "a phi among the code")
		}
		c.recordValue(b, v, i)
	}
}

func (c *verifier) recordValue(b *Block, v *Value, n int) {
	if _, dup := c.definitions[v]; dup {
		c.fault(b, v, "the value appears twice")
	}
	if v.Block != b {
		c.fault(b, v, "Block is another")
	}
	c.definitions[v] = definition{b, n}
}

func (c *verifier) block(b *Block) {
	if c.order.Position[b.ID] < 0 { // not reachable
		return
	}
	for _, v := range b.Phis {
		if len(v.Args) != len(b.Preds) {
			c.fault(b, v, "%d arguments, %d predecessors", len(v.Args), len(b.Preds))
			continue
		}
		for i, a := range v.Args {
			c.use(b.Preds[i], v, a, len(b.Preds[i].Code))
			if a.R != v.R {
				c.fault(b, v, "argument %d is %s", i, a.R)
			}
		}
	}
	for i, v := range b.Code {
		for _, a := range v.Args {
			c.use(b, v, a, i)
		}
		c.types(b, v)
	}
	if b.Cond != nil {
		c.use(b, b.Cond, b.Cond, len(b.Code))
		if b.Cond.R != isa.Bool {
			c.fault(b, b.Cond, "the condition is not a boolean")
		}
	}
}

// use tests that the definition of a reaches position n of block b.
func (c *verifier) use(b *Block, v, a *Value, n int) {
	if c.order.Position[b.ID] < 0 { // a phi's argument from a block that is not reachable
		return
	}
	at, ok := c.definitions[a]
	if !ok {
		c.fault(b, v, "v%d is in no block", a.ID)
		return
	}
	if at.block == b {
		if at.n >= n {
			c.fault(b, v, "v%d is used before its definition", a.ID)
		}
		return
	}
	def := c.order.Position[at.block.ID]
	if def < 0 || !c.order.Dominates(def, c.order.Position[b.ID]) {
		c.fault(b, v, "v%d of b%d does not dominate its use", a.ID, at.block.ID)
	}
}

// kindType returns the type that a row of the table requires; Void for no requirement.
func kindType(k isa.Kind, v *Value) isa.Type {
	return [...]isa.Type{isa.OfT: v.T, isa.OfFrom: v.From, isa.OfBool: isa.Bool, isa.OfI8: isa.I8, isa.OfI16: isa.I16, isa.OfI32: isa.I32, isa.OfI64: isa.I64}[k]
}

// types compares a value with its row in the table of operations. Sources may
// be of another type of the same width: a type is a way to use a register.
func (c *verifier) types(b *Block, v *Value) {
	if v.Mem != nil {
		c.memory(b, v)
		return
	}
	if v.Op == isa.DebugPrint || v.Op == isa.Proj {
		return
	}
	if v.Op == isa.MatrixMulAdd {
		return // the front end knows how many registers the machine's tiles have
	}
	row := &isa.Table[v.Op]
	if want := kindType(row.Sig.Result, v); v.R != want {
		c.fault(b, v, "the result is %s, not %s", v.R, want)
	}
	if len(v.Args) != len(row.Sig.Src) {
		c.fault(b, v, "%d sources, want %d", len(v.Args), len(row.Sig.Src))
		return
	}
	for i, a := range v.Args {
		if want := kindType(row.Sig.Src[i], v); a.R.Bits() != want.Bits() {
			c.fault(b, v, "source %d is %s, not %s", i, a.R, want)
		}
	}
}

// dataCount holds the number of data arguments of memory operations in addition to image coordinates; -1 means Count.
var dataCount = map[isa.Op]int{
	isa.Load: 0, isa.Store: -1, isa.AtomicLoad: 0, isa.AtomicIInc: 0, isa.AtomicIDec: 0, isa.AtomicCompareExchange: 2,
	isa.BufferSize: 0, isa.ImageLoad: 0, isa.ImageStore: 4, isa.ImageSize: 0, isa.ImageSamples: 0,
	isa.ImageSample: 0, isa.ImageSampleLod: 0, isa.ImageGather: 0, isa.ImageQueryLod: 0, isa.Export: 4,
}

func (c *verifier) memory(b *Block, v *Value) {
	m := v.Mem
	want, ok := dataCount[v.Op]
	if !ok {
		want = 1
	}
	if want < 0 {
		want = int(m.Count)
	}
	for _, has := range []bool{m.HasBase, m.HasIndex, m.HasBindex} {
		if has {
			want++
		}
	}
	if m.Space == isa.SpaceImage && v.Op != isa.ImageSize && v.Op != isa.ImageSamples {
		want += int(m.Coords) + int(m.Extra)
	}
	if len(v.Args) != want {
		c.fault(b, v, "%d arguments, want %d", len(v.Args), want)
		return
	}
	if m.Count < 1 || m.Count > 4 {
		c.fault(b, v, "%d elements", m.Count)
	}
	if m.PairStride > 0 && (m.Space != isa.SpaceLDS || m.Count%2 != 0) {
		c.fault(b, v, "%d elements of %s in two pieces", m.Count, spaceNames[m.Space])
	}
	if m.Space == isa.SpaceScratch && m.Local == nil {
		c.fault(b, v, "scratch without a variable")
	}
	if v.Op == isa.Store {
		for _, a := range v.Args[len(v.Args)-int(m.Count):] {
			if a.R != m.Elem {
				c.fault(b, v, "stores %s", a.R)
			}
		}
	}
}
