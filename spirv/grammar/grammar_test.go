package grammar

import "testing"

func TestOps(t *testing.T) {
	for i := range Ops {
		op := &Ops[i]
		if i > 0 && Ops[i-1].Code >= op.Code {
			t.Errorf("%s is out of order", op.Name)
		}
		if LookupOp(op.Code) != op {
			t.Errorf("%s is not found by its code", op.Name)
		}
		for _, name := range append([]string{op.Name}, op.Aliases...) {
			if OpByName(name) != op {
				t.Errorf("%s is not found by its name %s", op.Name, name)
			}
		}
		for _, o := range op.Operands {
			if o.Kind == KindIdResult || o.Kind == KindIdResultType {
				t.Errorf("%s has a result among its operands", op.Name)
			}
		}
		checkCapabilities(t, op.Name, op.Capabilities)
	}
	for _, code := range []uint16{9, maxOpcode + 1, 0xFFFF} {
		if op := LookupOp(code); op != nil {
			t.Errorf("opcode %d is %s", code, op.Name)
		}
	}
}

func checkCapabilities(t *testing.T, name string, caps []uint32) {
	for _, c := range caps {
		if KindCapability.Lookup(c) == nil {
			t.Errorf("%s asks for the unknown capability %d", name, c)
		}
	}
}

func TestKinds(t *testing.T) {
	for k := range Kinds {
		kind := Kind(k)
		es := kind.Info().Enumerants
		for i := range es {
			e := &es[i]
			if i > 0 && es[i-1].Value >= e.Value {
				t.Errorf("%s %s is out of order", kind, e.Name)
			}
			if kind.Lookup(e.Value) != e || kind.ByName(e.Name) != e {
				t.Errorf("%s %s is not found", kind, e.Name)
			}
			// A name for several bits is one beside a name for each.
			for rest := e.Value; kind.Info().Category == BitEnum && rest != 0; rest &= rest - 1 {
				if kind.Lookup(rest&-rest) == nil {
					t.Errorf("%s %s has a bit without a name, %#x", kind, e.Name, rest&-rest)
				}
			}
			checkCapabilities(t, e.Name, e.Capabilities)
		}
		if kind.Lookup(0x7FFFFFF0) != nil || kind.ByName("?") != nil {
			t.Errorf("%s finds what is not there", kind)
		}
	}
}

func TestSets(t *testing.T) {
	for i := range Sets {
		set := &Sets[i]
		if LookupSet(set.Name) != set {
			t.Errorf("%s is not found", set.Name)
		}
		for j := range set.Instructions {
			in := &set.Instructions[j]
			if set.Lookup(in.Code) != in || set.ByName(in.Name) != in {
				t.Errorf("%s %s is not found", set.Name, in.Name)
			}
		}
	}
	if LookupSet("GLSL.std.451") != nil {
		t.Error("an unknown set is found")
	}
}

// TestRows holds rows against the specification's text.
func TestRows(t *testing.T) {
	load := OpByName("OpLoad")
	if load.Code != 61 || !load.HasType || !load.HasResult || load.Class != "Memory" ||
		len(load.Operands) != 2 || load.Operands[1] != (Operand{KindMemoryAccess, Optional, ""}) {
		t.Errorf("OpLoad is %+v", load)
	}
	if e := KindMemoryAccess.ByName("Aligned"); e.Value != 2 || len(e.Parameters) != 1 || e.Parameters[0].Kind != KindLiteralInteger {
		t.Errorf("Aligned is %+v", e)
	}
	if op := OpByName("OpCopyLogical"); op.Version != 0x0104 {
		t.Errorf("OpCopyLogical is of version %#x", op.Version)
	}
	if op := OpByName("OpAllocateNodePayloadsAMDX"); op.Code != 5074 || op.Version != 0 || !op.Provisional {
		t.Errorf("OpAllocateNodePayloadsAMDX is %+v", op)
	}
}
