package isa

import "golang.org/x/sys/cpu"

// fmaRowAVX is fmaRowGo for rows of a multiple of eight lanes, on processors with FMA instructions. It takes a twelfth
// of the time.
//
//go:noescape
func fmaRowAVX(d, a, b, c []uint32)

var hasFMA = cpu.X86.HasAVX && cpu.X86.HasFMA

func fmaRow(d, a, b, c []uint32) {
	if !hasFMA || len(d)%8 != 0 {
		fmaRowGo(d, a, b, c)
		return
	}
	fmaRowAVX(d, a[:len(d)], b[:len(d)], c[:len(d)])
}
