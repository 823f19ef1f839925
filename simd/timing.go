package simd

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spvsim/internal/spec"
	"spvsim/isa"
)

// Timing is the machine's timing table: the cost of each instruction class, and the micro-operations of each operation.
type Timing struct {
	// Lowering selects between the two lists of an Operation (Use, UseLDS).
	Lowering string `yaml:"lowering" enum:"dpp|lds" required:"true" doc:"how cross-lane operations are lowered: dpp, to DPP and permutes where the machine has them; lds, through the LDS crossbar"`

	// Buffers selects how programs address buffers. A compiler may merge accesses to two buffers only if these are addresses.
	Buffers string `yaml:"buffers" enum:"descriptors|pointers" required:"true" doc:"how programs address buffers. descriptors: through descriptors in scalar registers, which all lanes share. pointers: by addresses, so that a branch between loads of two buffers may become one load of a selected address, and buffers that are not Restrict may be the same memory"`

	// Math selects the lowering of f32 division, roots and functions.
	Math string `yaml:"math" enum:"native|precise" default:"native" doc:"f32 division, square roots, exponentials, logarithms, powers, sin and cos. native: one instruction where the machine has it, as in drivers for Vulkan. precise: sequences that are right to the last places for all numbers, as in builds of HIP and OpenCL"`

	Passes int `yaml:"passes" range:"0..8" default:"0" doc:"passes through a SIMD for which issue and busy of classes of the units valu and trans are given; a wave of n passes takes n/passes times as long, rounded up; 0: the passes of a wave of wave_size lanes, whatever simd_width is"`

	Classes    map[string]Class     `yaml:"classes" doc:"instruction classes by name"`
	Operations map[string]Operation `yaml:"operations" doc:"micro-operations, by \"op\", \"op/type\", \"op/wave\" or \"op/type/wave\"; on the scalar unit by \"op/scalar\" or \"op/type/scalar\""`
}

// Class is the cost of one instruction of one wave. On the units valu and trans, issue and busy are for Timing.Passes passes
// through the SIMD; on other units they are for the whole instruction.
//
// For memory classes (vmem, vmem_store, vmem_atomic, image, smem) the latency is the part of the compute unit, and the
// hierarchy adds its own; scratch costs its class alone. For lds it is the latency of a conflict-free 32-bit read; a longer
// or conflicting access adds the cycles for which it is busy beyond such a read.
type Class struct {
	Unit    string `yaml:"unit" enum:"valu|trans|salu|lds|vmem|smem|branch|message|internal|matrix" required:"true" doc:"execution unit; also the issue category"`
	Issue   int    `yaml:"issue" range:"0..100000" unit:"cycles" doc:"cycles for which the SIMD's issue port (of this category) is busy"`
	Busy    int    `yaml:"busy" range:"0..100000" unit:"cycles" doc:"cycles for which the unit is busy; at least issue"`
	Latency int    `yaml:"latency" range:"0..100000" unit:"cycles" doc:"cycles from issue until a dependent instruction of the same wave may issue"`

	// Source is the source of the numbers.
	Source string `yaml:"-"`
}

// Operation has the micro-operations of one operation. An item is a class name, or a count and a class name: "6 dpp".
type Operation struct {
	Use    []string `yaml:"use" doc:"micro-operations in order, as class names with an optional count before: \"6 dpp\""`
	UseLDS []string `yaml:"use_lds" default:"" doc:"micro-operations if timing.lowering is lds; left out: the same as use"`

	// Source is the source of the list.
	Source string `yaml:"-"`
}

// Cost returns the cost of an instruction of a class for a wave of that many lanes; ok is false if the machine has no such
// class.
//
// With p passes of the wave and n of the table, issue and busy on valu and trans are multiplied by p/n, rounded up: 4 cycles
// for 4 passes are 2 cycles for 2. Each pass of a dependent instruction follows the same pass of its source, so the latency
// stays, but is at least issue. Matrix products cost the same at each wave size.
func (t *Timing) Cost(class isa.Class, shape *spec.Shape, lanes int) (row Class, ok bool) {
	if row, ok = t.Classes[class.String()]; !ok {
		return row, false
	}
	row.Issue = max(row.Issue, 1)
	row.Busy = max(row.Busy, row.Issue)
	if !class.Matrix() && (row.Unit == unitNames[unitVALU] || row.Unit == unitNames[unitTrans]) {
		given := t.Passes
		if given == 0 {
			given = shape.Passes(shape.WaveSize)
		}
		passes := shape.Passes(lanes)
		row.Issue, row.Busy = (row.Issue*passes+given-1)/given, (row.Busy*passes+given-1)/given
	}
	row.Latency = max(row.Latency, row.Issue)
	return row, true
}

// uses reports whether some class executes on a unit.
func (t *Timing) uses(u unit) bool {
	for _, row := range t.Classes {
		if units[row.Unit] == u {
			return true
		}
	}
	return false
}

// Has reports whether the machine has an instruction class.
func (t *Timing) Has(class string) bool {
	_, ok := t.Classes[class]
	return ok
}

// OperationNames returns the keys of the operations in alphabetical order.
func (t *Timing) OperationNames() []string { return slices.Sorted(maps.Keys(t.Operations)) }

// Expand returns the micro-operations (as class names) of an operation on a type at a wave size, and their source. The most
// specific row counts: op/type/wave, op/type, op/wave, op. ok is false if the table has no row: the operation is then one
// instruction of its own class. The table must be valid (Check).
func (t *Timing) Expand(op, typ string, waveSize int) (classes []string, source string, ok bool) {
	wave := "/" + strconv.Itoa(waveSize)
	for _, key := range [...]string{op + "/" + typ + wave, op + "/" + typ, op + wave, op} {
		if o, found := t.Operations[key]; found {
			return o.expand(t.Lowering), o.Source, true
		}
	}
	return nil, "", false
}

// ExpandScalar is Expand for an operation that the scalar unit computes: op/type/scalar, else op/scalar.
func (t *Timing) ExpandScalar(op, typ string) (classes []string, source string, ok bool) {
	for _, key := range [...]string{op + "/" + typ + "/scalar", op + "/scalar"} {
		if o, found := t.Operations[key]; found {
			return o.expand(t.Lowering), o.Source, true
		}
	}
	return nil, "", false
}

func (o Operation) expand(lowering string) []string {
	list := o.Use
	if lowering == "lds" && len(o.UseLDS) > 0 {
		list = o.UseLDS
	}
	var out []string
	for _, item := range list {
		n, name, _ := splitItem(item)
		out = append(out, slices.Repeat([]string{name}, n)...)
	}
	return out
}

// Check requires a row for each class that is not optional, and operations that expand to known classes.
func (t Timing) Check() []spec.Problem {
	return slices.Concat(t.checkClasses(), t.checkNoResult(), t.checkOperations())
}

// checkNoResult refuses a latency for classes without a result: the wave's next
// instruction may issue as soon as they have.
func (t *Timing) checkNoResult() (ps []spec.Problem) {
	for _, class := range []isa.Class{isa.ClassBarrier, isa.ClassWaitcnt, isa.ClassEnd} {
		if c := t.Classes[class.String()]; c.Latency > c.Issue {
			ps = append(ps, spec.RangeProblem(spec.Join("classes", class.String())+".latency",
				"found %d: want at most issue, %d, as the class has no result that an instruction waits for", c.Latency, c.Issue))
		}
	}
	return ps
}

// optionalClasses are the classes that a machine may lack. Programs are then lowered without them.
var optionalClasses = map[string]bool{
	isa.ClassPacked16.String(): true, isa.ClassPacked32.String(): true, isa.ClassDot.String(): true, isa.ClassDual.String(): true,
}

func optional(name string) bool { return optionalClasses[name] || matrixClass(name) }

func matrixClass(name string) bool { return strings.HasPrefix(name, "matrix_") }

func (t *Timing) checkClasses() (ps []spec.Problem) {
	for _, name := range ClassNames() {
		p := spec.Join("classes", name)
		switch c, ok := t.Classes[name]; {
		case !ok && optional(name):
		case !ok:
			ps = append(ps, spec.Problem{Path: p, Msg: "missing: want unit, issue, busy and latency of each class", Kind: spec.ErrMissing})
		case c.Busy < c.Issue:
			ps = append(ps, spec.RangeProblem(p+".busy", "found %d: want at least issue, %d", c.Busy, c.Issue))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Classes)) {
		if !isClass(name) {
			ps = append(ps, unknown(spec.Join("classes", name), name, "an instruction class", ClassNames()))
		}
	}
	return ps
}

func unknown(path, name, what string, known []string) spec.Problem {
	return spec.Problem{Path: path, Msg: fmt.Sprintf("found %q: want %s%s", name, what, spec.Hint(name, known)), Kind: spec.ErrReference}
}

// operationKey matches op, op/type, op/wave and op/type/wave; for the scalar unit op/scalar and op/type/scalar.
var operationKey = regexp.MustCompile(`^[A-Za-z0-9_.]+(/(bool|i8|i16|i32|i64|f16|f32|f64|bf16|e4m3|e5m2))?(/(16|32|64|scalar))?$`)

func (t *Timing) checkOperations() (ps []spec.Problem) {
	for _, key := range t.OperationNames() {
		p := spec.Join("operations", key)
		if !operationKey.MatchString(key) {
			ps = append(ps, spec.RangeProblem(p, "want op, op/type, op/wave or op/type/wave (reduce/i64/32), or op/scalar or op/type/scalar"))
		}
		op, _, _ := strings.Cut(key, "/")
		if _, ok := isa.Lookup(op); !ok {
			ps = append(ps, unknown(p, op, "an operation", operations()))
		}
		ps = append(ps, spec.PrefixPaths(p, t.Operations[key].check())...)
	}
	return ps
}

func operations() (known []string) {
	for op := isa.Op(0); op < isa.NumOps; op++ {
		known = append(known, op.String())
	}
	return known
}

func (o Operation) check() (ps []spec.Problem) {
	if len(o.Use) == 0 {
		ps = append(ps, spec.RangeProblem("use", "found an empty list: want class names"))
	}
	return append(append(ps, checkList("use", o.Use)...), checkList("use_lds", o.UseLDS)...)
}

// maxMicros bounds the count before a class name: the longest known expansions have about a hundred micro-operations.
const maxMicros = 4096

func checkList(path string, list []string) (ps []spec.Problem) {
	for i, item := range list {
		n, name, ok := splitItem(item)
		switch {
		case !ok || n < 1 || n > maxMicros:
			ps = append(ps, spec.RangeProblem(spec.Item(path, i), "found %q: want a class name, or a count up to %d and a class name", item, maxMicros))
		case !isClass(name):
			ps = append(ps, unknown(spec.Item(path, i), name, "an instruction class", ClassNames()))
		}
	}
	return ps
}

// splitItem parses an item: "dpp" or "6 dpp".
func splitItem(item string) (n int, name string, ok bool) {
	words := strings.Fields(item)
	switch len(words) {
	case 1:
		return 1, words[0], true
	case 2:
		n, err := strconv.Atoi(words[0])
		return n, words[1], err == nil
	}
	return 0, "", false
}

// ClassNames returns the names of the instruction classes in the order of isa.
func ClassNames() []string { return isa.ClassNames[1:] }

func isClass(name string) bool { return name != "" && slices.Contains(ClassNames(), name) }
