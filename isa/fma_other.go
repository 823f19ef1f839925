//go:build !amd64

package isa

func fmaRow(d, a, b, c []uint32) { fmaRowGo(d, a, b, c) }
