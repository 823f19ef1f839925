//go:build !amd64

package lane

const wide = false

func walkAVX(*uint32, *uint32, int, *Step) (last, bits, differ uint32, starts uint64) {
	panic("lane: no wide instructions")
}

func gatherAVX(*uint32, *byte, *uint32, int, uint64) { panic("lane: no wide instructions") }
