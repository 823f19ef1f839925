//go:build !amd64

package isa

func resolveRows(loopKey, *Inst) func(*State, *Inst) { return nil }

func mergeRow(d, s []uint32, lanes uint64) { mergeRowGo(d, s, lanes) }

func chooseRow(d, a, b []uint32, lanes uint64) { chooseRowGo(d, a, b, lanes) }

func fillRow(d []uint32, x uint32) { fillRowGo(d, x) }
