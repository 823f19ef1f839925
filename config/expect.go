package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"spvsim/isa"
)

// ErrMismatch is wrapped by the error of an expectation that a run did not meet.
var ErrMismatch = errors.New("expectation not met")

// element is the type that elements are compared as; empty: bytes.
func (e *Expect) element() string {
	if e.Typed.Type != "" {
		return e.Typed.Type
	}
	if e.As == "" && e.Data != nil {
		return cmp.Or(e.Data.Iota, e.Data.Type)
	}
	return e.As
}

// Check compares the buffer's final bytes with the expected ones. address returns where the buffer of a name is.
func (e *Expect) Check(got []byte, address func(buffer string) uint64) error {
	at := indexPath("expect", e.index)
	msg, err := e.compare(got, address)
	switch {
	case err != nil:
		return withPositions([]problem{problemAt(at, err, ErrRange)}, e.job.positions)
	case msg == "":
		return nil
	}
	return withPositions([]problem{{at, msg, ErrMismatch}}, e.job.positions)
}

// compare describes the first difference, or returns an error if the expectation can't be evaluated.
func (e *Expect) compare(got []byte, address func(buffer string) uint64) (string, error) {
	offset, err := e.Offset.evalInt(e.job.scope, 0, 0, int64(len(got)))
	if err != nil {
		return "", underKey("offset", err)
	}
	rest := got[offset:]
	if e.SHA256 != "" {
		return e.compareDigest(rest)
	}
	want, err := e.expected(len(rest), address)
	if err != nil {
		return "", err
	}
	if len(want) > len(rest) {
		return fmt.Sprintf("%s: found %d bytes from byte %d on: want %d", e.Buffer, len(rest), offset, len(want)), nil
	}
	typ := cmp.Or(e.element(), "u8")
	return e.compareElements(typ, rest, want, int(offset)), nil
}

func (e *Expect) expected(limit int, address func(buffer string) uint64) ([]byte, error) {
	// One element more than fits shows that the buffer is too short.
	g := &generator{job: e.job, scope: e.job.scope, limit: limit + 1<<20}
	err := e.generate(g)
	for _, a := range g.out.Addresses {
		binary.LittleEndian.PutUint64(g.out.Bytes[a.At:], address(a.Buffer)+a.Plus)
	}
	return g.out.Bytes, err
}

func (e *Expect) generate(g *generator) (err error) {
	switch {
	case e.Typed.Type != "":
		err = g.typed(e.Typed.Type, e.Typed.Type, e.Typed.Values, e.Count)
	case e.File != "":
		err = g.file(&Data{File: e.File})
	default:
		err = underKey("data", g.data(e.Data))
	}
	return err
}

func (e *Expect) compareDigest(rest []byte) (string, error) {
	n, err := e.Bytes.evalInt(e.job.scope, int64(len(rest)), 0, int64(len(rest)))
	if err != nil {
		return "", underKey("bytes", err)
	}
	sum := sha256.Sum256(rest[:n])
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(got, e.SHA256) {
		return fmt.Sprintf("%s: found sha256 %s: want %s", e.Buffer, got, e.SHA256), nil
	}
	return "", nil
}

func (e *Expect) compareElements(typ string, got, want []byte, offset int) string {
	size := elementBytes(typ)
	decode := decoders[typ]
	wrong, first := 0, ""
	for i := 0; i+size <= len(want); i += size {
		g, w := decode(got[i:]), decode(want[i:])
		if sameWithin(g, w, e.Tolerance) {
			continue
		}
		if wrong++; wrong == 1 {
			first = fmt.Sprintf("%s: %s at byte %d: found %s: want %s", e.Buffer, typ, offset+i, g.text(typ), w.text(typ))
		}
	}
	if wrong > 1 {
		first += fmt.Sprintf(" (%d of %d differ)", wrong, len(want)/size)
	}
	return first
}

// sameWithin compares floats within the tolerance, relative if the expected one is above 1; NaN equals NaN.
func sameWithin(got, want Number, tolerance float64) bool {
	if !want.IsFloat {
		return got.Int == want.Int
	}
	g, w := got.Float, want.Float
	if g == w || math.IsNaN(g) && math.IsNaN(w) {
		return true
	}
	return math.Abs(g-w) <= tolerance*max(1, math.Abs(w)) && !math.IsInf(w, 0)
}

func (n Number) text(typ string) string {
	switch {
	case n.IsFloat:
		return fmt.Sprintf("%g", n.Float)
	case typ[0] == 'u':
		return fmt.Sprintf("%d", uint64(n.Int))
	}
	return fmt.Sprintf("%d", n.Int)
}

// decoders read one element, little-endian; u64 keeps its bits in Int.
var decoders = map[string]func(b []byte) Number{
	"u8":  func(b []byte) Number { return Number{Int: int64(b[0])} },
	"i8":  func(b []byte) Number { return Number{Int: int64(int8(b[0]))} },
	"u16": func(b []byte) Number { return Number{Int: int64(binary.LittleEndian.Uint16(b))} },
	"i16": func(b []byte) Number { return Number{Int: int64(int16(binary.LittleEndian.Uint16(b)))} },
	"u32": func(b []byte) Number { return Number{Int: int64(binary.LittleEndian.Uint32(b))} },
	"i32": func(b []byte) Number { return Number{Int: int64(int32(binary.LittleEndian.Uint32(b)))} },
	"u64": func(b []byte) Number { return Number{Int: int64(binary.LittleEndian.Uint64(b))} },
	"i64": func(b []byte) Number { return Number{Int: int64(binary.LittleEndian.Uint64(b))} },
	"f16": func(b []byte) Number { return float(isa.HalfToFloat64(uint64(binary.LittleEndian.Uint16(b)))) },
	"f32": func(b []byte) Number { return float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))) },
	"f64": func(b []byte) Number { return float(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
}
