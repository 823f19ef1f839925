package config

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path"

	"spvsim/internal/expression"
	"spvsim/isa"
)

// maxDataBytes bounds the bytes of one buffer's data, and any count in a job.
const maxDataBytes = 1 << 32

// generator builds the bytes of Data. It checks the total size as it goes, so that nested repeats can't exceed the
// bound.
type generator struct {
	job   *Job
	scope scope
	limit int
	bound string // the key that limit comes from; empty: limit is our own bound
	dry   bool   // check numbers only: build no bytes and read no file
	out   Content
}

// content generates data; nil Data gives none.
func (j *Job) content(d *Data, s scope, limit int) (Content, error) {
	g := &generator{job: j, scope: s, limit: limit}
	if d == nil {
		return g.out, nil
	}
	err := g.data(d)
	return g.out, err
}

// dataKind is one form of data: the field that selects it, and its generator.
type dataKind struct {
	name     string
	set      func(*Data) bool
	generate func(*generator, *Data) error
}

var dataKinds []dataKind

func init() {
	// In init, as the generators of nested data refer back to this table.
	dataKinds = []dataKind{
		{"iota", func(d *Data) bool { return d.Iota != "" }, (*generator).iota},
		{"zero", func(d *Data) bool { return d.Zero != "" }, (*generator).zero},
		{"file", func(d *Data) bool { return d.File != "" }, (*generator).file},
		{"random", func(d *Data) bool { return d.Random != nil }, (*generator).random},
		{"values", func(d *Data) bool { return d.Values != nil }, (*generator).values},
		{"address_of", func(d *Data) bool { return d.AddressOf != "" }, (*generator).address},
		{"repeat", func(d *Data) bool { return d.Repeat != nil }, (*generator).repeat},
		{"parts", func(d *Data) bool { return d.Parts != nil }, (*generator).concatenate},
	}
}

func (d *Data) kindNames() []string {
	var names []string
	for _, k := range dataKinds {
		if k.set(d) {
			names = append(names, k.name)
		}
	}
	return names
}

func (g *generator) data(d *Data) error {
	for _, k := range dataKinds {
		if k.set(d) {
			return k.generate(g, d)
		}
	}
	return fmt.Errorf("found no kind of data: want one of iota, zero, file, random, values, address_of, repeat, parts")
}

// space extends the data by n bytes, within the bound, and returns them.
func (g *generator) space(n int64) ([]byte, error) {
	at := len(g.out.Bytes)
	if n > int64(g.limit-at) {
		return nil, g.tooLarge(fmt.Sprintf("%d bytes", n))
	}
	if g.dry {
		return nil, nil
	}
	if at == 0 {
		g.out.Bytes = make([]byte, n)
	} else {
		g.out.Bytes = append(g.out.Bytes, make([]byte, n)...)
	}
	return g.out.Bytes[at:], nil
}

// tooLarge returns the error that data exceeds the limit; it names the bytes generated before.
func (g *generator) tooLarge(what string) error {
	what = "found " + what
	if at := len(g.out.Bytes); at > 0 {
		what += fmt.Sprintf(" after %d", at)
	}
	if g.bound != "" {
		return fmt.Errorf("%s: want at most %d, which %s leaves", what, g.limit, g.bound)
	}
	return fmt.Errorf("%s: want at most %d in all", what, g.limit)
}

// elements extends the data by count elements of a type, which a function writes.
func (g *generator) elements(typ string, count int64, write func(put func(b []byte, n Number), size int, b []byte)) error {
	size := elementBytes(typ)
	if size == 0 {
		return fmt.Errorf("type: found %q: want u8 to u64, i8 to i64, f16, f32 or f64", typ)
	}
	b, err := g.space(count * int64(size))
	if err == nil && !g.dry {
		largePages(b)
		write(encoders[typ], size, b)
	}
	return err
}

func (g *generator) iota(d *Data) error {
	count, err := d.Count.evalInt(g.scope, 0, 0, maxDataBytes)
	if err != nil {
		return underKey("count", err)
	}
	start, err := d.Start.eval(g.scope, Number{})
	if err != nil {
		return underKey("start", err)
	}
	step, err := d.Step.eval(g.scope, Number{Int: 1})
	if err != nil {
		return underKey("step", err)
	}
	if start, step, err = sequence(d.Iota, start, step, count); err != nil {
		return err
	}
	return underKey("iota", g.elements(d.Iota, count, func(put func([]byte, Number), size int, b []byte) {
		if fill := counting[d.Iota]; fill != nil && !start.IsFloat && !step.IsFloat {
			fill(b, start.Int, step.Int)
			return
		}
		for i := range int(count) {
			put(b[i*size:], progression(start, step, i))
		}
	}))
}

// counting fills b with integers, each more than the one before it by step: of the types whose buffers are the largest.
var counting = map[string]func(b []byte, from, step int64){"u32": countWords, "i32": countWords, "f32": countFloats}

func countWords(b []byte, from, step int64) {
	for ; len(b) >= 16; b = b[16:] { // four at a time
		binary.LittleEndian.PutUint64(b, uint64(uint32(from))|uint64(from+step)<<32)
		from += 2 * step
		binary.LittleEndian.PutUint64(b[8:], uint64(uint32(from))|uint64(from+step)<<32)
		from += 2 * step
	}
	for ; len(b) >= 4; b = b[4:] {
		binary.LittleEndian.PutUint32(b, uint32(from))
		from += step
	}
}

func countFloats(b []byte, from, step int64) {
	for ; len(b) >= 4; b = b[4:] {
		putFloat(b, float64(from))
		from += step
	}
}

func putFloat(b []byte, f float64) { binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f))) }

// progression is start + i*step: in integers when both are, so that large ones stay exact.
func progression(start, step Number, i int) Number {
	if start.IsFloat || step.IsFloat {
		return float(start.AsFloat() + float64(i)*step.AsFloat())
	}
	return Number{Int: start.Int + int64(i)*step.Int}
}

func (g *generator) zero(d *Data) error {
	n, err := d.Zero.evalInt(g.scope, 0, 0, maxDataBytes)
	if err == nil {
		_, err = g.space(n)
	}
	return underKey("zero", err)
}

func (g *generator) file(d *Data) error {
	offset, err := d.Offset.evalInt(g.scope, 0, 0, maxDataBytes)
	if err != nil {
		return underKey("offset", err)
	}
	if g.dry {
		_, err := d.Bytes.evalInt(g.scope, 0, 0, maxDataBytes)
		return underKey("bytes", err)
	}
	data, err := g.job.ReadFile(d.File, maxDataBytes)
	if err != nil {
		return underKey("file", errors.New(withoutPrefix(err))) // the job's own place precedes it
	}
	n, err := d.Bytes.evalInt(g.scope, max(int64(len(data))-offset, 0), 0, maxDataBytes)
	if err != nil {
		return underKey("bytes", err)
	}
	if offset+n > int64(len(data)) {
		return underKey("file", fmt.Errorf("%s: found %d bytes: want %d from byte %d on", d.File, len(data), n, offset))
	}
	b, err := g.space(n)
	copy(b, data[offset:])
	return underKey("file", err)
}

// ReadFile reads a file that the job names, relative to the job file. At most limit bytes.
func (j *Job) ReadFile(name string, limit int64) ([]byte, error) {
	return readLimited(j.fsys, relative(path.Dir(j.file), name), limit)
}

// FS returns the file system of the job's files, and the folder of the job file in it.
func (j *Job) FS() (fsys fs.FS, dir string) { return j.fsys, path.Dir(j.file) }

func (g *generator) random(d *Data) error { return underKey("random", g.draw(d.Random)) }

func (g *generator) draw(r *Random) error {
	typ := cmp.Or(r.Type, "f32")
	count, err := r.Count.evalInt(g.scope, 0, 0, maxDataBytes)
	if err != nil {
		return underKey("count", err)
	}
	seed, err := r.Seed.evalInt(g.scope, 0, math.MinInt64, math.MaxInt64)
	if err != nil {
		return underKey("seed", err)
	}
	low, high, err := r.limits(g.scope, typ)
	if err != nil {
		return err
	}
	bits := rand.NewPCG(uint64(seed), pcgStream)
	draw := drawer(typ, low, high, bits)
	return g.elements(typ, count, func(put func([]byte, Number), size int, b []byte) {
		if typ == "f32" { // whose buffers are the largest
			from, span := low.AsFloat(), high.AsFloat()-low.AsFloat()
			for i := range int(count) {
				putFloat(b[4*i:], from+span*unit(bits))
			}
			return
		}
		for i := range int(count) {
			put(b[i*size:], draw())
		}
	})
}

// pcgStream is the second seed word of every generator: the fraction of the golden ratio, as good as any.
const pcgStream = 0x9e3779b97f4a7c15

// unit converts random bits to a number in [0, 1), exactly as rand.Rand does.
func unit(bits *rand.PCG) float64 { return float64(bits.Uint64()<<11>>11) / (1 << 53) }

// limits are the least and the largest number.
func (r *Random) limits(s scope, typ string) (low, high Number, err error) {
	largest := Number{Int: 1}
	if typ[0] != 'f' {
		bits := uint(elementBytes(typ) * 8)
		if typ[0] == 'i' {
			bits--
		}
		largest = ofInteger(expression.Unsigned(math.MaxUint64 >> (64 - bits)))
	}
	if low, err = r.Min.eval(s, Number{}); err != nil {
		return low, high, underKey("min", err)
	}
	if high, err = r.Max.eval(s, largest); err != nil {
		return low, high, underKey("max", err)
	}
	if low, err = low.Fit(typ); err != nil {
		return low, high, underKey("min", err)
	}
	if high, err = high.Fit(typ); err != nil {
		return low, high, underKey("max", err)
	}
	if high.lessThan(low) {
		err = underKey("max", fmt.Errorf("found %v: want at least min, %v", high.value(), low.value()))
	}
	return low, high, err
}

func drawer(typ string, low, high Number, bits *rand.PCG) func() Number {
	if typ[0] == 'f' {
		a, b := low.AsFloat(), high.AsFloat()
		return func() Number { return float(a + (b-a)*unit(bits)) }
	}
	rng, span := rand.New(bits), uint64(high.Int-low.Int)+1
	return func() Number {
		if span == 0 {
			return Number{Int: int64(rng.Uint64())}
		}
		return Number{Int: low.Int + int64(rng.Uint64N(span))}
	}
}

func (g *generator) values(d *Data) error {
	typ := cmp.Or(d.Type, "u32")
	return g.typed("values", typ, d.Values, d.Count)
}

// typed writes count elements of one type, repeating the values. key is the key of the values.
func (g *generator) typed(key, typ string, values []Expr, count Expr) error {
	nums, err := evalAll(values, typ, g.scope)
	if err != nil {
		return underKey(key, err)
	}
	n, err := count.evalInt(g.scope, int64(len(nums)), 0, maxDataBytes)
	if err != nil {
		return underKey("count", err)
	}
	if len(nums) == 0 && n > 0 {
		return underKey(key, fmt.Errorf("found none: want at least one for %d elements", n))
	}
	return underKey(key, g.elements(typ, n, func(put func([]byte, Number), size int, b []byte) {
		for i := range int(n) {
			put(b[i*size:], nums[i%len(nums)])
		}
	}))
}

func evalAll(values []Expr, typ string, s scope) ([]Number, error) {
	nums := make([]Number, len(values))
	for i, e := range values {
		n, err := e.eval(s, Number{})
		if err == nil {
			n, err = n.Fit(typ)
		}
		if err != nil {
			return nil, underKey(indexPath("", i), err)
		}
		nums[i] = n
	}
	return nums, nil
}

func (g *generator) address(d *Data) error {
	at := len(g.out.Bytes)
	if _, err := g.space(8); err != nil {
		return underKey("address_of", err)
	}
	g.out.Addresses = append(g.out.Addresses, AddressFixup{At: at, Buffer: d.AddressOf})
	return nil
}

func (g *generator) repeat(d *Data) error { return underKey("repeat", g.repeated(d.Repeat)) }

func (g *generator) repeated(r *Repeat) error {
	times, err := r.Times.evalInt(g.scope, 0, 0, maxDataBytes)
	if err != nil {
		return underKey("times", err)
	}
	if r.Data == nil {
		return underKey("data", errors.New("missing: want the data to repeat"))
	}
	inner := &generator{job: g.job, scope: g.scope, limit: g.limit, bound: g.bound, dry: g.dry}
	if err := inner.data(r.Data); err != nil {
		return underKey("data", err)
	}
	one := inner.out
	if len(one.Bytes) == 0 {
		return nil
	}
	if times > int64(g.limit)/int64(len(one.Bytes)) {
		return g.tooLarge(fmt.Sprintf("%d times %d bytes", times, len(one.Bytes)))
	}
	b, err := g.space(times * int64(len(one.Bytes)))
	if err != nil {
		return err
	}
	at := len(g.out.Bytes) - len(b)
	for i := range int(times) {
		copy(b[i*len(one.Bytes):], one.Bytes)
		for _, a := range one.Addresses {
			g.out.Addresses = append(g.out.Addresses, AddressFixup{At: at + i*len(one.Bytes) + a.At, Buffer: a.Buffer, Plus: a.Plus})
		}
	}
	return nil
}

func (g *generator) concatenate(d *Data) error {
	for i := range d.Parts {
		if err := g.data(&d.Parts[i]); err != nil {
			return underKey(indexPath("parts", i), err)
		}
	}
	return nil
}

// encoders write one element, little-endian. The number has to fit the type (Fit).
var encoders = map[string]func(b []byte, n Number){
	"u8": put8, "i8": put8, "u16": put16, "i16": put16, "u32": put32, "i32": put32, "u64": put64, "i64": put64,
	"f16": func(b []byte, n Number) { binary.LittleEndian.PutUint16(b, uint16(isa.HalfFromFloat64(n.AsFloat()))) },
	"f32": func(b []byte, n Number) { binary.LittleEndian.PutUint32(b, math.Float32bits(float32(n.AsFloat()))) },
	"f64": func(b []byte, n Number) { binary.LittleEndian.PutUint64(b, math.Float64bits(n.AsFloat())) },
}

func put8(b []byte, n Number)  { b[0] = byte(n.Int) }
func put16(b []byte, n Number) { binary.LittleEndian.PutUint16(b, uint16(n.Int)) }
func put32(b []byte, n Number) { binary.LittleEndian.PutUint32(b, uint32(n.Int)) }
func put64(b []byte, n Number) { binary.LittleEndian.PutUint64(b, uint64(n.Int)) }
