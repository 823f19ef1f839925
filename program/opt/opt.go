// Package opt rewrites the intermediate form as a driver's compiler would: it
// turns variables into values, folds constants, removes redundant work, unrolls
// short loops, splits addresses into a constant, a uniform and a divergent
// part, and merges neighbouring accesses. Last, it decides for each value
// whether the scalar unit computes it (ir.Value.Uniform).
//
// No pass changes the result of a floating-point operation, except, where the module allows it, for fusing multiplications
// into additions, and for what a driver leaves inexact (see inexact).
//
// Afterwards, moves between types of one size are gone: an operand may have another type of the same size than the
// operation that reads it.
//
// The package does not know registers, instruction encodings or how long anything takes; machines differ in Options.
package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Options are the properties of the machine that the passes depend on.
type Options struct {
	WaveSize int // lanes of a wave

	// ScalarFloat: the scalar unit computes floating-point operations.
	ScalarFloat bool

	FuseMad   bool // the vector unit has a 32-bit integer multiply-add
	FuseMad16 bool // it has one of 16 bits
	LshlAdd   bool // it has (a<<b)+c, (a<<b)|c, (a+b)<<c, (a&b)|c and a|b|c
	Add3      bool // it has a+b+c
	Xor3      bool // it has a^b^c

	// TwoScalars: a vector instruction reads two scalar registers, or one and a literal.
	TwoScalars bool

	// SelectBuffers: shaders address buffers by pointers, so that one load may
	// read one buffer in some lanes and another in others, and buffers that are
	// not Restrict may be the same memory.
	SelectBuffers bool

	// Divides reports that the machine divides integers of a type by an
	// instruction, or steps, of its own; nil: it never does.
	Divides func(op isa.Op, t isa.Type) bool

	// Precise: f32 division, roots, exponentials, logarithms, powers, sin and cos are sequences as in builds of HIP and OpenCL.
	Precise bool

	// Native reports that the machine has an operation on words as one instruction; nil: it has all.
	Native func(op isa.Op) bool

	// MaxVectorRegs bounds the scheduler's estimate of 32-bit vector registers
	// alive at once; 0 means 64, which keeps four waves a SIMD resident on the
	// smallest preset.
	MaxVectorRegs int

	// Registers, where buffers are descriptors, determines MaxVectorRegs; if it is empty, MaxVectorRegs holds.
	Registers RegisterFile

	// UnrollTrips and UnrollValues bound full unrolling: the trips of the loop
	// and the values after unrolling. 0 means 32, and 26 times as many values, or 512 with SelectBuffers.
	UnrollTrips, UnrollValues int

	// Stop, unless nil, is called from time to time. Once it returns true, Run returns soon, with a function that is
	// not valid.
	Stop func() bool
}

func (o *Options) stopped() bool { return o.Stop != nil && o.Stop() }

func (o Options) withDefaults() Options {
	setDefault(&o.WaveSize, 64)
	setDefault(&o.MaxVectorRegs, 64)
	setDefault(&o.UnrollTrips, unrollTrips)
	if o.SelectBuffers {
		setDefault(&o.UnrollValues, 512)
	}
	setDefault(&o.UnrollValues, unrollTrips*unrollPerTrip)
	return o
}

func setDefault(field *int, value int) {
	if *field == 0 {
		*field = value
	}
}

// A pass rewrites the function and reports whether it changed anything.
type pass struct {
	name string
	run  func(f *ir.Func, o Options) bool
}

// schedule lists the passes in order. A group runs again while its first pass changes something, up to rounds times.
var schedule = []struct {
	rounds int
	passes []pass
}{
	{1, []pass{
		{"constants", gatherConstants}, {"switches", switches}, {"cleanup", cleanup}, {"pointers", pointers}, {"split", splitAccesses}, {"fold", fold},
		{"promote", promote}, {"fold", fold}, {"inexact", inexact}, {"gvn", gvn}, {"dead stores", deadStores}, {"cleanup", cleanup}, {"equalities", equalities}, {"fold", fold}, {"gvn", gvn}, {"cleanup", cleanup},
	}},
	// Copies of a loop's body know their counter: arrays that it indexes become
	// values, and inner trip counts constants.
	{8, []pass{
		{"unroll", unroll}, {"cleanup", cleanup}, {"fold", fold},
		{"promote", promote}, {"fold", fold}, {"inexact", inexact}, {"gvn", gvn}, {"dead stores", deadStores}, {"cleanup", cleanup},
	}},
	{2, []pass{{"indexed", indexed}, {"fold", fold}, {"promote", promote}, {"fold", fold}, {"gvn", gvn}, {"cleanup", cleanup}}},
	{8, []pass{
		{"unroll", unrollAgain}, {"cleanup", cleanup}, {"fold", fold},
		{"promote", promote}, {"fold", fold}, {"inexact", inexact}, {"gvn", gvn}, {"dead stores", deadStores}, {"cleanup", cleanup},
	}},
	{3, []pass{{"ifconvert", ifconvert}, {"cleanup", cleanup}, {"fold", fold}, {"gvn", gvn}}},
	{1, []pass{{"licm", licm}, {"carry loads", carryLoads}, {"partial unroll", partialUnroll}, {"cleanup", cleanup}, {"fold", fold}, {"gvn", gvn}, {"cleanup", cleanup}}},
	{1, []pass{
		{"equalities", equalities}, {"tables", tables}, {"fold", fold}, {"inexact", inexact}, {"gvn", gvn}, {"dead stores", deadStores}, {"cleanup", cleanup},
		{"byte words", byteWords}, {"dots", dots}, {"precise", precise}, {"uniform atomics", uniformAtomics}, {"licm", licm}, {"placement", placement}, {"divisions", divisions}, {"fold", fold}, {"gvn", gvn}, {"licm", licm},
		{"placement", placement}, {"addresses", addresses}, {"fold", fold}, {"gvn", gvn}, {"cleanup", cleanup}, {"narrow loads", narrowLoads}, {"narrow stores", narrowStores}, {"byte fields", byteFields}, {"licm", licm},
		{"push words", pushWords}, {"placement", placement}, {"scalar narrow loads", scalarNarrowLoads}, {"merge", mergeAccesses}, {"contract", contract}, {"pointer sums", pointerSums}, {"gvn", gvn}, {"licm", licm}, {"cleanup", cleanup},
		{"modifiers", modifiers}, {"divergence", divergence}, {"folded conversions", foldedConversions}, {"schedule", scheduleLoads}, {"bitcasts", bitcasts},
	}},
}

// Run optimises f in place.
func Run(f *ir.Func, o Options) {
	o = o.withDefaults()
	setBlocks(f)
	form := 1                   // grows with each change
	useless := map[string]int{} // by pass: the form in which it found nothing to do
	for _, group := range schedule {
		f.Renumber()
		for range group.rounds {
			changed := false
			for i, p := range group.passes {
				if o.stopped() {
					return
				}
				c := useless[p.name] != form && p.run(f, o)
				if c {
					form++
				} else {
					useless[p.name] = form
				}
				if i == 0 {
					changed = c
				}
				if check != nil {
					check(p.name, f)
				}
				if i == 0 && !changed && group.rounds > 1 {
					break
				}
			}
			if !changed {
				break
			}
		}
	}
	f.Renumber()
}

// check, set by tests, looks at the function after each pass.
var check func(pass string, f *ir.Func)

// setBlocks makes sure that every value knows its block.
func setBlocks(f *ir.Func) {
	for _, b := range f.Blocks {
		for _, v := range slices.Concat(b.Phis, b.Code) {
			v.Block = b
		}
	}
}
