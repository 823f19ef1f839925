package frontend

import (
	goflag "flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

var update = goflag.Bool("update", false, "write docs/reference/spirv.md and testdata/form.txt")

// formWhy gives the reason of each refusal in this package, by its text. Those
// that state a limit state the reason too.
var formWhy = map[string]string{
	"%s of OpenCL.std": "see the instruction sets above",
	"a sized copy of a size that is not constant":                                                  "llvm-spirv writes loops for such copies",
	"a variable of storage class UniformConstant without initializer":                              "nothing gives its contents",
	"the initializer of a variable: want numbers, and addresses of variables at constant offsets":  "a launch adds an address of its own to a number",
	"an address of constant data, which each kernel has a copy of, in a variable of device memory": "all kernels of a module share its variables",
	"constant data of %d bytes":                                                                    "a limit, far above real kernels",
	"variables of the program scope of %d bytes":                                                   "a limit, far above real kernels",
	"a variable that has one image or sampler after the other":                                     "an image is known by its argument",
	"a cast of this pointer":                                                                       "pointers to inputs have no address",
	"a string of printf that is not a literal":                                                     "the text is put together when the kernel is compiled",
	"a format of printf that is not a literal":                                                     "the text is put together when the kernel is compiled",
	"irreducible control flow in %q: a cycle is entered at several blocks, one of them of line %d": "waves reconverge at post-dominators and at exits of loops with one entry",
	"rounding mode %s from integers of 64 bits":                                                    "the result is compared as a double, which does not hold them",
	"interpolation of %%%d, which is not an input variable or a part of one":                       "an input is known by its variable",
	"built-in %s as a member of an input":                                                          "a fragment's built-ins are variables of their own",
	"derivatives in entry point %q, which has no derivative group: want DerivativeGroupQuadsKHR or DerivativeGroupLinearKHR": "quads are those of a derivative group",
	"rounding mode %s": "conversions to narrower floats round to nearest even",
	"an atomic on a Function or Private variable":                        "such memory is registers of one lane",
	"an atomic of %d bits":                                               "atomics of memory and LDS have 32 and 64 bits, those of floats 16 too",
	"group operation %s":                                                 "group operations of AMD's and OpenCL's instructions take the whole group",
	"scope %s":                                                           "exchange is within a wave, or of a workgroup where the instruction says so",
	"a control barrier of scope %s":                                      "barriers of hardware are those of a workgroup",
	"built-in %s in a %s shader":                                         "the stage, or the draw, has no such value",
	"an input that is not a built-in":                                    "only fragments have a stage before them",
	"operation %s on specialization constants":                           "not an operation of constants in shaders",
	"entry point %q: execution model %s":                                 "compute, mesh, fragment and nodes of a graph run",
	"execution mode %s":                                                  "what it asks for is not done",
	"extended instruction set %q":                                        "see the instruction sets above",
	"instruction %d of %s":                                               "the set has a later revision",
	"GLSL.std.450 %s in a compute shader":                                "interpolation is at pixel centres",
	"no lowering for this operation in a %s shader":                      "see the instructions above",
	"an input without a location":                                        "the stage before is a table of vertices by location",
	"an input at location %d: want at most %d":                           "four times the locations of any device",
	"an input of type %s: want 32 bits":                                  "vertices hold words of 32 bits",
	"output %s":                                                          "draws have only colour outputs",
	"an output without a location":                                       "a colour output is found by its location",
	"an output with Component %d":                                        "one output is at a location",
	"an output that is not a vector of 32-bit numbers":                   "colour outputs are written as words of 32 bits",
	"an output of %d bytes":                                              "mesh outputs are no larger than LDS",
	"an output variable without a name":                                  "the job finds mesh outputs by name",
	"constructs nested deeper than %d, those around calls with them":     "a limit, the specification's (2.17), also where calls are inlined",
	"calls nested deeper than %d":                                        "a limit, far above real shaders: calls are inlined",
	"%%%d (%s) is imported: it has no body":                              "modules are not linked",
	"the inlined function has more than %d blocks":                       "a limit, far above real shaders: calls are inlined",
	"the inlined function has more than %d values":                       "a limit, far above real shaders: calls are inlined",
	"a value of more than %d scalars":                                    "a limit: values live in registers",
	"types of more than %d scalars together":                             "a limit: values live in registers",
	"image coordinates that are not integers":                            "reads and fetches take texels",
	"image operands %s":                                                  "the address of a texel has no such part here",
	"a store to another level of detail than the first":                  "storage images have one level",
	"type %%%d (%s) in memory":                                           "it has no layout in bytes",
	"a value of a structure with a runtime array":                        "only memory knows its size",
	"memory operands %s":                                                 "aliasing scopes are not supported",
	"a store of a whole payload array":                                   "payloads are written one by one",
	"a sized copy of %d bytes here":                                      "copies are between buffers, of whole elements",
	"the array length of %%%d":                                           "only buffers have a length at run time",
	"a pointer to %s as a value":                                         "pointers to registers and to descriptors are resolved when the shader is compiled",
	"this pointer as a value":                                            "pointers to registers and to descriptors are resolved when the shader is compiled",
	"a variable pointer to a descriptor after an array of run-time size": "the descriptor must be known, or its array must have a fixed size",
	"a pointer to a matrix, or to a column of one with rows, as a value": "only the member of a structure says how far its columns or rows are apart",
	"the distance of pointers into an array whose stride is not known: their type %%%d has no ArrayStride": "the distance is a number of elements",
	"an untyped pointer to memory without a layout of bytes":                                               "only an explicit layout says which member is at a byte",
	"an untyped pointer to a Workgroup variable without explicit layout":                                   "only an explicit layout says which member is at a byte",
	"an untyped pointer as an operand of %s":                                                               "the instruction needs the type that the pointer points to",
	"pointer arithmetic on %s":                                                                             "elements follow each other only in memory with byte addresses",
	"index into input %%%d":                                                                                "inputs are registers: their index must be a constant",
	"a whole array of samplers as a value":                                                                 "a sampler is one element of a binding",
	"sampling an image that a pointer chooses at run time":                                                 "the image must be known when the shader is compiled",
	"sampling images of Dim %s":                                                                            "the texture unit filters 1D, 2D, 3D and cube images",
	"coordinates of type %s":                                                                               "coordinates have 32 bits",
	"sampling an image of %s":                                                                              "the texture unit filters 32-bit texels",
	"a value of type %s %%%d":                                                                              "the type has no value in registers",
	"floating-point encoding %s of %%%d":                                                                   "floats of 16 bits are IEEE half and bfloat16; floats of 8 bits are E4M3 and E5M2",
	"cooperative matrix %%%d of scope %s: matrix units work on the registers of one wave, scope Subgroup":     "the matrix unit of a SIMD works on one wave",
	"cooperative matrix %%%d of %d x %d %s, use %s%s: unit %s has multiples of %d x %d":                       "a matrix consists of the tiles that the unit multiplies",
	"cooperative matrix %%%d in workgroups of %d invocations%s: they are not whole waves of %d lanes":         "every lane of a wave holds a part of a matrix",
	"unit %s has no product of %s and %s to %s":                                                               "products are those of the machine's instructions",
	"a cooperative matrix in this memory":                                                                     "matrices are loaded from buffers, physical addresses and LDS",
	"unit %s: its lanes hold other elements of a matrix of %s than of one of %s, use %s":                      "elements would have to move between lanes",
	"products of %s and %s to %s in lanes":                                                                    "without a unit, products of integers have 8 bits and sums of 32 bits",
	"cooperative matrix %%%d: the machine has no matrix unit (matrix.unit is none; matrix.without is refuse)": "a machine without a matrix unit multiplies matrices only if its description says how",
	"cooperative matrix layout %s":                                                                            "matrices are in memory by rows or by columns",
	"%%%d: %s":                                                                                                "a variable of a stage or storage class that is not bound; the message says which",
	"Workgroup variables of %d bytes":                                                                         "the LDS is not larger",
}

// notLowered gives the reason for instructions whose capability runs, by the
// start of their name.
var notLowered = map[string]string{
	"OpUntypedVariable":       "refused in functions, where no memory has an explicit layout; those of the module run",
	"OpUntypedPrefetch":       "an instruction of kernels, on pointers to CrossWorkgroup",
	"OpUntypedGroupAsyncCopy": "an instruction of kernels",
	"OpEmitMeshTasksEXT":      "task stages launch nothing",
	"OpImageSampleDref":       "depth comparison",
	"OpImageSampleProjDref":   "depth comparison",
	"OpImageDrefGather":       "depth comparison",
	"OpImageGather":           "gathers",
}

// refusals finds the texts of the calls of unsupported in this package.
func refusals(t *testing.T) map[string]bool {
	t.Helper()
	files, _ := filepath.Glob("*.go")
	texts := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := suite.Must(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "unsupported" {
				if text, err := strconv.Unquote(exprText(call.Args[0])); err == nil {
					texts[text] = true
				}
			}
			return true
		})
	}
	return texts
}

func exprText(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		return lit.Value
	}
	return ""
}

// inParentheses are the extensions of a capability.
var inParentheses = regexp.MustCompile(` \([^)]*\)`)

// levels reads the table of capabilities off the page: where each is refused,
// and why.
func levels(page string) (where, why map[string]string) {
	where, why = map[string]string{}, map[string]string{}
	for _, line := range strings.Split(page, "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); len(cells) == 3 {
			for _, name := range strings.Split(inParentheses.ReplaceAllString(cells[0], ""), ", ") {
				where[name], why[name] = cells[1], cells[2]
			}
		}
	}
	return where, why
}

// TestUnsupportedIsDocumented: docs/reference/spirv.md holds what lowering refuses,
// each with its reason.
func TestUnsupportedIsDocumented(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "reference", "spirv.md")
	data := suite.Must(os.ReadFile(path))(t)
	const start, end = "<!-- lowering -->\n", "<!-- end of lowering -->\n"
	before, rest, ok1 := strings.Cut(string(data), start)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no section on lowering", path)
	}
	where, why := levels(string(data))
	p := page{t: t, where: where, why: why}
	p.instructions()
	p.kind("Built-in inputs", "Variables that a stage reads.", grammar.KindBuiltIn, func(n uint32) bool {
		return builtins[spirv.BuiltIn(n)] != nil || fragmentBuiltins[spirv.BuiltIn(n)] != nil || meshIndices[spirv.BuiltIn(n)]
	})
	p.kind("Execution modes", "Of entry points; refused when the entry point is lowered.", grammar.KindExecutionMode, func(n uint32) bool {
		m := spirv.ExecutionMode(n)
		return modes[m] || fragmentModes[m] || nodeModes[m] != nil || meshModes[m] != nil
	})
	p.forms()
	if want := p.String(); got != want {
		if !*update {
			t.Fatalf("%s is not what the tables say: run with -update", path)
		}
		suite.OK(t, os.WriteFile(path, []byte(before+start+want+end+after), 0o644))
	}
}

// page writes the section.
type page struct {
	strings.Builder
	t          *testing.T
	where, why map[string]string
}

// open reports an entry of the grammar that some capability which is not
// refused allows.
func (p *page) open(caps []uint32) bool {
	for _, c := range caps {
		if !strings.HasPrefix(p.where[spirv.Capability(c).String()], "where ") {
			return true
		}
	}
	return len(caps) == 0
}

// reason is that of a capability that is refused when lowered.
func (p *page) reason(caps []uint32) string {
	for _, c := range caps {
		if why := p.why[spirv.Capability(c).String()]; why != "" && p.where[spirv.Capability(c).String()] == "when lowered" {
			return why
		}
	}
	return ""
}

// bodyClasses are the classes of instructions that do something in a function.
var bodyClasses = map[string]bool{"Image": true, "Primitive": true, "Memory": true, "Group": true, "Non-Uniform": true, "Arithmetic": true, "Bit": true,
	"Conversion": true, "Atomic": true, "Composite": true, "Relational_and_Logical": true, "Derivative": true, "Barrier": true, "Reserved": true}

func (p *page) instructions() {
	p.WriteString("### Instructions\n\nInstructions that are valid but have no lowering.\n\n| instruction | why |\n| --- | --- |\n")
	names, order := map[string][]string{}, []string(nil) // by reason
	for i := range grammar.Ops {
		g := &grammar.Ops[i]
		op := spirv.Op(g.Code)
		_, lowered := rows[op]
		if lowered || constantRows[op] != nil || !bodyClasses[g.Class] || strings.HasPrefix(g.Name, "OpType") || strings.Contains(g.Name, "ConstantString") || !p.open(g.Capabilities) {
			continue
		}
		why := p.reason(g.Capabilities)
		for start, text := range notLowered {
			if strings.HasPrefix(g.Name, start) {
				why = text
			}
		}
		if why == "" && slices.Contains(g.Capabilities, uint32(spirv.CapabilityKernel)) {
			why = "operations of OpenCL kernels, which have no lowering"
		}
		if why == "" {
			p.t.Errorf("%s is not lowered, and no reason is given", g.Name)
		}
		if names[why] == nil {
			order = append(order, why)
		}
		names[why] = append(names[why], g.Name)
	}
	for _, why := range order {
		fmt.Fprintf(p, "| %s | %s |\n", strings.Join(names[why], ", "), why)
	}
}

// kind lists the enumerants of a kind that are not done.
func (p *page) kind(title, text string, kind grammar.Kind, done func(uint32) bool) {
	fmt.Fprintf(p, "\n### %s\n\n%s\n\n", title, text)
	var names []string
	for _, e := range kind.Info().Enumerants {
		if p.open(e.Capabilities) && !done(e.Value) {
			names = append(names, e.Name)
		}
	}
	p.WriteString(strings.Join(names, ", ") + ".\n")
}

func (p *page) forms() {
	p.WriteString("\n### Forms of instructions and types that otherwise run\n\nMessages of the compiler. `%` represents what they name.\n\n| message | why |\n| --- | --- |\n")
	texts := refusals(p.t)
	var list []string
	for text := range texts {
		list = append(list, text)
		if formWhy[text] == "" {
			p.t.Errorf("%q is refused, and formWhy gives no reason", text)
		}
	}
	for text := range formWhy {
		if !texts[text] {
			p.t.Errorf("formWhy has %q, which nothing refuses any more", text)
		}
	}
	sort.Strings(list)
	for _, text := range list {
		shown := strings.NewReplacer("%%%d", "%", "%s", "%", "%d", "%", "%q", "%").Replace(text)
		fmt.Fprintf(p, "| %s | %s |\n", shown, formWhy[text])
	}
}
