package config

import (
	"maps"
	"slices"
	"strconv"
)

// Timing is the machine's timing table: what an instruction of each class costs, and which instructions each operation
// becomes.
type Timing struct {
	// Lowering picks which list of an Operation is used where it has both.
	Lowering string `yaml:"lowering" enum:"dpp|lds" doc:"how cross-lane operations are lowered: to DPP and permutes where the machine has them, or through the LDS crossbar"`

	// Buffers decides whether a compiler may select between buffers as it does between addresses.
	Buffers string `yaml:"buffers" enum:"descriptors|pointers" doc:"how programs address buffers: through descriptors in scalar registers, which all lanes share, or by pointers, so that a branch between loads of two buffers may become one load of a selected address"`

	Classes    map[string]Class     `yaml:"classes" doc:"instruction classes by name"`
	Operations map[string]Operation `yaml:"operations" doc:"micro-operations by \"op\", \"op/type\", \"op/wave\" or \"op/type/wave\"; \"op/scalar\" or \"op/type/scalar\" on the scalar unit"`
}

// Class is the cost of one instruction of one wave. On a machine whose wave sizes differ, the numbers are for one pass of
// Machine.WaveSize lanes where the class's unit is valu or trans, and for the whole instruction elsewhere.
//
// For memory classes (vmem, vmem_store, vmem_atomic, image, smem) the latency is the compute unit's own share, to which the
// hierarchy adds its time; scratch is charged by its class alone. For lds it is that of a conflict-free 32-bit read, to which
// a longer or conflicting access adds what it is busy beyond that.
type Class struct {
	Unit    string `yaml:"unit" enum:"valu|trans|salu|lds|vmem|smem|branch|message|internal" doc:"execution unit; also the issue category"`
	Issue   int    `yaml:"issue" range:"0..100000" unit:"cycles" doc:"cycles that the SIMD's issue port (of this category) is taken"`
	Busy    int    `yaml:"busy" range:"0..100000" unit:"cycles" doc:"cycles that the unit is taken; at least issue"`
	Latency int    `yaml:"latency" range:"0..100000" unit:"cycles" doc:"cycles from issue until a dependent instruction of the same wave may issue"`

	// Source says where the numbers come from.
	Source string `yaml:"-"`
}

// Operation is what one operation becomes. An item is a class name, or a count and a class name: "6 dpp".
type Operation struct {
	Use    []string `yaml:"use" doc:"micro-operations in order: class names, with a count before: \"6 dpp\""`
	UseLDS []string `yaml:"use_lds" doc:"micro-operations when timing.lowering is lds; absent: the same as use"`

	// Source says where the list comes from.
	Source string `yaml:"-"`
}

// Has reports a class that a machine may lack, and that this one has.
func (t *Timing) Has(class string) bool {
	_, ok := t.Classes[class]
	return ok
}

// OperationNames lists the keys of the operations in alphabetical order.
func (t *Timing) OperationNames() []string { return slices.Sorted(maps.Keys(t.Operations)) }

// Expand gives the micro-operations, as class names, of an operation on a type at a wave size, and their source. The most
// specific row wins: op/type/wave, op/type, op/wave, op. ok is false when the table has no row: the operation is one
// instruction of its own class. The table must have been validated.
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
