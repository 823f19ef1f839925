package validate

import (
	"fmt"
	"strings"
	"testing"
)

// A shapeOf is a scalar (no rows), a vector (no columns) or a matrix of one type of components.
type shapeOf struct {
	of         string
	cols, rows int
}

var shapesOfTypes = []shapeOf{{"f", 0, 0}, {"f", 0, 2}, {"f", 0, 3}, {"f", 2, 2}, {"f", 2, 3}, {"f", 3, 2}, {"h", 0, 0}, {"h", 0, 2}, {"h", 2, 2}}

func (s shapeOf) name() string { return fmt.Sprintf("%%%s%dx%d", s.of, s.cols, s.rows) }

func (s shapeOf) isVector() bool { return s.cols == 0 && s.rows > 0 }

// linearRules returns the result shape of an operation for its operands, as in the specification's 3.49.13; no columns
// and rows of -1: none.
var linearRules = map[string]func(a, b shapeOf) (shapeOf, bool){
	"OpMatrixTimesScalar": func(a, b shapeOf) (shapeOf, bool) { return a, a.cols > 0 && b.rows == 0 },
	"OpVectorTimesScalar": func(a, b shapeOf) (shapeOf, bool) { return a, a.isVector() && b.rows == 0 },
	"OpMatrixTimesVector": func(a, b shapeOf) (shapeOf, bool) {
		return shapeOf{a.of, 0, a.rows}, a.cols > 0 && b.isVector() && b.rows == a.cols
	},
	"OpVectorTimesMatrix": func(a, b shapeOf) (shapeOf, bool) {
		return shapeOf{a.of, 0, b.cols}, a.isVector() && b.cols > 0 && a.rows == b.rows
	},
	"OpMatrixTimesMatrix": func(a, b shapeOf) (shapeOf, bool) {
		return shapeOf{a.of, b.cols, a.rows}, a.cols > 0 && b.cols > 0 && a.cols == b.rows
	},
	"OpOuterProduct": func(a, b shapeOf) (shapeOf, bool) {
		return shapeOf{a.of, b.rows, a.rows}, a.isVector() && b.isVector()
	},
	"OpDot":       func(a, b shapeOf) (shapeOf, bool) { return shapeOf{a.of, 0, 0}, a.isVector() && a == b },
	"OpTranspose": func(a, _ shapeOf) (shapeOf, bool) { return shapeOf{a.of, a.rows, a.cols}, a.cols > 0 },
}

// Of all shapes, each operation of linear algebra takes those that fit each other, and no others.
func TestLinearAlgebraTakesShapesThatFit(t *testing.T) {
	for op, rule := range linearRules {
		for _, a := range shapesOfTypes {
			for _, b := range shapesOfTypes {
				operands := a.undef() + " " + b.undef()
				if op == "OpTranspose" {
					b, operands = shapeOf{of: a.of}, a.undef()
				}
				want, fits := rule(a, b)
				for _, result := range shapesOfTypes {
					_, err := Check(assemble(t, linearModule(fmt.Sprintf("%%x = %s %s %s", op, result.name(), operands))))
					if ok := fits && a.of == b.of && result == want; ok != (err == nil) {
						t.Errorf("%s of %v and %v to %v: %v", op, a, b, result, err)
					}
				}
			}
		}
	}
}

func (s shapeOf) undef() string { return "%u" + s.name()[1:] }

// linearModule returns a shader with a value of each shape, that does one thing with them.
func linearModule(does string) string {
	var b strings.Builder
	b.WriteString("OpCapability Shader\nOpCapability Matrix\nOpCapability Float16\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n" +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n")
	for _, s := range shapesOfTypes {
		switch {
		case s.rows == 0:
			fmt.Fprintf(&b, "%s = OpTypeFloat %d\n", s.name(), map[string]int{"f": 32, "h": 16}[s.of])
		case s.cols == 0:
			fmt.Fprintf(&b, "%s = OpTypeVector %%%s0x0 %d\n", s.name(), s.of, s.rows)
		default:
			fmt.Fprintf(&b, "%s = OpTypeMatrix %%%s0x%d %d\n", s.name(), s.of, s.rows, s.cols)
		}
	}
	for _, s := range shapesOfTypes {
		fmt.Fprintf(&b, "%s = OpUndef %s\n", s.undef(), s.name())
	}
	return b.String() + "%main = OpFunction %void None %fn\n%start = OpLabel\n" + does + "\nOpReturn\nOpFunctionEnd\n"
}
