package gpu

import "math"

func init() {
	x := made(most, func(i int) float32 { return 0.25 + float32(noise(i)%1000)/1000 })
	signed := made(most+1, func(i int) float32 { return (float32(noise(i)%4001) - 2000) / 1001 })
	wide := vectorsOf(reals(4 * (most + 1)))
	w := noises(most + 2)
	kernelTopics["functions"] = []kernelCase{
		{entry: "quick_forms", global: []int{most}, arguments: []any{x, left{ulps: []float64{8192}, want: made(most, func(i int) (o [16]float32) {
			x, more := float64(x[i]), float64(x[i]+1)
			for k, v := range []float64{math.Cos(x), math.Sin(x), math.Tan(x), 2 / x, math.Exp2(x), math.Pow(10, x), math.Log(more), math.Log2(more), math.Log10(more),
				math.Pow(x, 1.5), 1 / math.Sqrt(x), math.Cos(x), math.Sin(x), math.Tan(x), math.Pow(10, x), math.Log10(more)} {
				o[k] = float32(v)
			}
			return o
		})}}},
		{entry: "angles", global: []int{most}, arguments: []any{signed, left{ulps: []float64{5, 5, 5, 6, 6, 0, 0, 0}, want: made(most, func(i int) (o [8]float32) {
			x, y := float64(signed[i]), float64(signed[i+1])
			for k, v := range []float64{math.Acos(x / 2), math.Asin(x / 2), math.Atan(x), math.Atan2(x, y)} {
				o[k] = float32(v / math.Pi)
			}
			o[4], o[5], o[6], o[7] = float32(math.Tan(x/4*math.Pi)), max(signed[i], signed[i+1]), min(signed[i], signed[i+1]), 1
			return o
		})}}},
		{entry: "lengths", global: []int{most}, arguments: []any{wide, left{ulps: []float64{8192}, want: made(most, func(i int) float32 {
			sum := 0.0
			for k := range 4 {
				sum += math.Pow(float64(wide[i][k])-float64(wide[i+1][k]), 2)
			}
			return float32(math.Sqrt(sum))
		})}, left{ulps: []float64{8192}, want: made(most, func(i int) (o [4]float32) {
			sum := 0.0
			for _, v := range wide[i] {
				sum += float64(v) * float64(v)
			}
			for k, v := range wide[i] {
				o[k] = float32(float64(v) / math.Sqrt(sum))
			}
			return o
		})}}},
		{entry: "unsigned_products", global: []int{most}, arguments: []any{w, leaves(made(most, func(i int) [8]uint32 {
			a, b, c := w[i], w[i+1], w[i+2]
			x, y := uint16(a), uint16(b)
			return [8]uint32{a, max(a, b) - min(a, b), (a >> 8) * (b >> 8), (a>>8)*(b>>8) + c, uint32(uint64(a)*uint64(b)>>32) + c,
				uint32(max(x, y) - min(x, y)), uint32(uint16(uint32(x)*uint32(y)>>16) + uint16(c)), a >> 1}
		}))}},
	}
}
