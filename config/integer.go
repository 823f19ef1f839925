package config

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"spvsim/internal/expression"
)

// A keyed error refers to a value at a key below the one that the caller knows.
type keyed struct {
	key string // relative path: count, [2], random.min
	err error
}

func (k *keyed) Error() string { return k.key + ": " + k.err.Error() }
func (k *keyed) Unwrap() error { return k.err }

// underKey prefixes an error with a key; nil stays nil.
func underKey(key string, err error) error {
	if err == nil {
		return nil
	}
	return &keyed{key, err}
}

// problemAt is an error as the problem of the deepest key that it names.
func problemAt(path string, err error, kind error) problem {
	for k, ok := err.(*keyed); ok; k, ok = err.(*keyed) {
		if k.key[0] == '[' {
			path += k.key
		} else {
			path = sub(path, k.key)
		}
		err = k.err
	}
	return problem{path, err.Error(), kind}
}

// inherited is problemAt for a value that a step or a node may have from the steps or the job around it: the problem is at its key there.
func (j *Job) inherited(path string, err error) problem {
	if k, ok := err.(*keyed); ok {
		if at := j.KeyOwner(path, k.key); at != "" || j.positions[k.key] != (position{}) {
			path = at
		}
	}
	return problemAt(path, err, ErrExpr)
}

// IntegerWithin returns the exact integer of the number, which must be from low to high.
func (n Number) IntegerWithin(low int64, high uint64) (expression.Integer, error) {
	i, err := expression.IntegerOf(n.value())
	switch {
	case n.Rounded:
		return i, fmt.Errorf("found a number that a float rounds to %g: want an integer", n.Float)
	case errors.Is(err, expression.ErrInteger):
		return i, fmt.Errorf("found %g: want an integer, as int(), floor() and ceil() give", n.Float)
	case err != nil || !i.In(low, high):
		return i, fmt.Errorf("found %v: want %d to %d", n.value(), low, high)
	}
	return i, nil
}

// integerRange is the range of an element type that is an integer.
func integerRange(typ string) (low int64, high uint64) {
	bits := 8 * elementBytes(typ)
	if typ[0] == 'u' {
		return 0, math.MaxUint64 >> (64 - bits)
	}
	return -1 << (bits - 1), math.MaxInt64 >> (64 - bits)
}

// Fit converts the number to an element of the type: an exact integer in range, or a float, rounded but not to
// infinity.
func (n Number) Fit(typ string) (Number, error) {
	if typ[0] != 'f' {
		low, high := integerRange(typ)
		i, err := n.IntegerWithin(low, high)
		if err != nil {
			return n, fmt.Errorf("%w (%s)", err, typ)
		}
		return ofInteger(i), nil
	}
	var b [8]byte
	encoders[typ](b[:], n)
	if x := n.AsFloat(); math.IsInf(decoders[typ](b[:]).Float, 0) && !math.IsInf(x, 0) {
		return n, fmt.Errorf("found %g: want at most %g either way (%s), or .inf", x, largestFloat[typ], typ)
	}
	return n, nil
}

// lessThan compares two numbers, integers exactly.
func (n Number) lessThan(than Number) bool {
	switch {
	case n.IsFloat || than.IsFloat:
		return n.AsFloat() < than.AsFloat()
	case n.Unsigned || than.Unsigned:
		return !n.Unsigned || than.Unsigned && uint64(n.Int) < uint64(than.Int)
	}
	return n.Int < than.Int
}

// largestFloat is the largest finite number of each type (IEEE 754).
var largestFloat = map[string]float64{"f16": 65504, "f32": math.MaxFloat32, "f64": math.MaxFloat64}

func ofInteger(i expression.Integer) Number {
	n, signed := i.Int64()
	return Number{Int: n, Unsigned: !signed}
}

// sequence checks the first and the last of count numbers, step apart from start on; the others lie between them. It
// returns start and step as progression needs them: integers for integer types, and floats if an int64 could not hold
// the sum.
func sequence(typ string, start, step Number, count int64) (Number, Number, error) {
	start, err := start.Fit(typ)
	if err != nil {
		return start, step, underKey("start", err)
	}
	if typ[0] != 'f' {
		var i expression.Integer
		if i, err = step.IntegerWithin(math.MinInt64, math.MaxInt64); err != nil {
			return start, step, underKey("step", err)
		}
		step = ofInteger(i)
	} else if start.Unsigned || step.Unsigned {
		start, step = float(start.AsFloat()), float(step.AsFloat())
	}
	if count == 0 {
		return start, step, nil
	}
	last := float(start.AsFloat() + float64(count-1)*step.AsFloat())
	if !start.IsFloat && !step.IsFloat {
		first, _ := expression.IntegerOf(start.value())
		sum := new(big.Int).SetUint64(first.Bits())
		if !start.Unsigned {
			sum.SetInt64(start.Int)
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(count-1), big.NewInt(step.Int)))
		switch {
		case sum.IsInt64():
			last = Number{Int: sum.Int64()}
		case sum.IsUint64() && typ[0] != 'f':
			last = Number{Int: int64(sum.Uint64()), Unsigned: true}
		case typ[0] == 'f':
			start, step = float(start.AsFloat()), float(step.AsFloat())
		}
	}
	if _, err = last.Fit(typ); err != nil {
		return start, step, underKey("count", fmt.Errorf("element %d: %w", count-1, err))
	}
	return start, step, nil
}
