package isa

// matrixProductAVX is matrixProductGo on processors with FMA instructions.
//
//go:noescape
func matrixProductAVX(c *[sumLen]float32, a, b *[factorLen]float32, k int)

func matrixProduct(c *[sumLen]float32, a, b *[factorLen]float32, k int) {
	if !hasFMA {
		matrixProductGo(c, a, b, k)
		return
	}
	matrixProductAVX(c, a, b, k)
}
