package judge

import (
	"strings"

	"spvsim/isa"
)

// An access is a kind of memory access. The accesses of a block identify it in the
// code of two compilers: neither adds or removes accesses, although it may merge
// some.
type access int

const (
	bufferLoad access = iota
	bufferStore
	atomic
	imageAccess
	ldsRead
	ldsWrite
	ldsAtomic
	barrier
	numAccesses
	noAccess access = -1
)

// accesses by prefix and part of an instruction's name; the first match counts. Scalar loads are not listed, because they may load descriptors.
var accesses = []struct {
	prefix, infix string
	access        access
}{
	{"s_barrier", "", barrier},
	{"image_", "", imageAccess},
	{"ds_bpermute", "", noAccess}, {"ds_permute", "", noAccess}, {"ds_swizzle", "", noAccess},
	{"ds_", "read", ldsRead}, {"ds_", "load", ldsRead}, {"ds_", "write", ldsWrite}, {"ds_", "store", ldsWrite}, {"ds_", "", ldsAtomic},
	{"scratch_", "", noAccess},
	{"", "buffer_atomic", atomic}, {"", "global_atomic", atomic}, {"", "flat_atomic", atomic},
	{"buffer_", "load", bufferLoad}, {"global_", "load", bufferLoad}, {"flat_", "load", bufferLoad},
	{"buffer_", "store", bufferStore}, {"global_", "store", bufferStore}, {"flat_", "store", bufferStore},
}

func accessOf(text string) access {
	name, operands, _ := strings.Cut(text, " ")
	if strings.Contains(operands, "idxen") || strings.HasPrefix(name, "tbuffer_") {
		return imageAccess // of a texel buffer
	}
	for _, a := range accesses {
		if strings.HasPrefix(name, a.prefix) && strings.Contains(name, a.infix) {
			return a.access
		}
	}
	return noAccess
}

// accessOfInst is accessOf for an instruction of package program.
func accessOfInst(in *isa.Inst) access {
	switch in.Class {
	case isa.ClassBarrier:
		return barrier
	case isa.ClassImage:
		return imageAccess
	case isa.ClassVMEM:
		return bufferLoad
	case isa.ClassVMEMStore:
		return bufferStore
	case isa.ClassVMEMAtomic:
		return atomic
	case isa.ClassLDS:
		return ldsAccess(in)
	}
	return noAccess
}

func ldsAccess(in *isa.Inst) access {
	switch {
	case in.Mem == nil:
		return noAccess
	case in.Op == isa.Load:
		return ldsRead
	case in.Op == isa.Store:
		return ldsWrite
	}
	return ldsAtomic
}
