package mem

import (
	"testing"

	"spvsim/mem/hierarchy"
)

// Loads of 64 lanes in groups of 64 bytes: a cycle for a block, two for 32 words in a row, two for each word of a bank otherwise, half a cycle for each line.
func TestLoadsConflictInBanks(t *testing.T) {
	s := hierarchy.DefaultSpec()
	s.VectorMemory.BankSpec, s.VectorL1.LineBytes = rdnaVectorBanks(), 128
	timeLoads(t, &s, []timedLoad{
		{"words in a row", 1, 0, 4, 1<<64 - 1, 4},
		{"words in a row, off a block", 1, 4, 4, 1<<64 - 1, 4},
		{"words in a row, off a block, every other sixteen lanes", 1, 4, 4, 0xFFFF0000FFFF, 4},
		{"the same word", 1, 0, 0, 1<<64 - 1, 4},
		{"words 2 apart", 1, 0, 8, 1<<64 - 1, 8},
		{"words 4 apart: two share a bank", 1, 0, 16, 1<<64 - 1, 16},
		{"words 16 apart: eight share a bank", 1, 0, 64, 1<<64 - 1, 64},
		{"words 32 apart: all in one bank", 1, 0, 128, 1<<64 - 1, 128},
		{"words 33 apart: all in lines of their own", 1, 0, 132, 1<<64 - 1, 32},
		{"words 32 apart, every other lane", 1, 0, 128, 0x5555555555555555, 64},
		{"one lane", 1, 0, 128, 1, 1},
		{"pairs in a row", 2, 0, 8, 1<<64 - 1, 16},
		{"pairs 8 apart", 2, 0, 64, 1<<64 - 1, 64},
		{"pairs 16 apart", 2, 0, 128, 1<<64 - 1, 128},
		{"four words in a row", 4, 0, 16, 1<<64 - 1, 16},
		{"four words 128 bytes apart", 4, 0, 128, 1<<64 - 1, 128},
	})
}

// rdnaVectorBanks are those of an RDNA vector cache.
func rdnaVectorBanks() hierarchy.BankSpec {
	return hierarchy.BankSpec{Banks: 32, BankBytes: 4, BankCycles: 2, GroupBytes: 64, TagsPerCycle: 2}
}
