package isa

// The cube map operations of SPV_AMD_gcn_shader, as v_cubeid_f32, v_cubesc_f32,
// v_cubetc_f32 and v_cubema_f32 of the GCN3 instruction set architecture: z
// wins ties over y, and y over x.

func cube(f func(x, y, z float64) float64) Meaning {
	return func(t, _ Type, _, a, b, c, _ uint64) uint64 {
		return FloatBits(t, f(FloatOf(t, a), FloatOf(t, b), FloatOf(t, c)))
	}
}

// An axis of a cube.
type axis int

const (
	axisX axis = iota
	axisY
	axisZ
)

// majorAxis returns the one that the direction is longest along, and its component.
func majorAxis(x, y, z float64) (axis, float64) {
	ax, ay, az := magnitude(x), magnitude(y), magnitude(z)
	switch {
	case az >= ax && az >= ay:
		return axisZ, z
	case ay >= ax:
		return axisY, y
	}
	return axisX, x
}

func magnitude(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

func cubeID(x, y, z float64) float64 {
	major, along := majorAxis(x, y, z)
	if along < 0 {
		return float64(2*major + 1)
	}
	return float64(2 * major)
}

func cubeSC(x, y, z float64) float64 {
	major, along := majorAxis(x, y, z)
	switch {
	case major == axisY:
		return x
	case major == axisX && along < 0:
		return z
	case major == axisX:
		return -z
	case along < 0:
		return -x
	}
	return x
}

func cubeTC(x, y, z float64) float64 {
	major, along := majorAxis(x, y, z)
	switch {
	case major == axisY && along < 0:
		return -z
	case major == axisY:
		return z
	}
	return -y
}

func cubeMA(x, y, z float64) float64 {
	_, along := majorAxis(x, y, z)
	return 2 * magnitude(along)
}

func rcp(a float64) float64 { return 1 / a }
