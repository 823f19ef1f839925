//go:build !amd64

package isa

func matrixProduct(c *[sumLen]float32, a, b *[factorLen]float32, k int) { matrixProductGo(c, a, b, k) }
