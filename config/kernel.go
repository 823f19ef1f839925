package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/files"
	"spvsim/internal/lists"
)

// Compile says how clang compiles OpenCL C.
type Compile struct {
	Options string     `yaml:"options" doc:"options of clang for shaders in OpenCL C (.cl), as clBuildProgram takes them, with folders of -I from that of the job; left out: -cl-std=CL1.2, and -O3 unless they have another level"`
	Defines []Variable `yaml:"defines" form:"map" doc:"macros of shaders in OpenCL C; each is defined as the value of its expression"`
}

// Arguments are the arguments of a kernel, by name or in order.
type Arguments struct {
	Named bool
	List  []Argument
}

// An Argument is the value of one argument, or of a member of a structure.
type Argument struct {
	Name  string // empty: in order
	Value ArgumentValue
}

// An ArgumentValue is what the file gives for an argument. The kernel says which form it needs.
type ArgumentValue struct {
	Text    Expr // a number, an expression, or the name of a buffer
	Null    bool
	List    []ArgumentValue // components of a vector, elements of an array, members of a structure in order
	Members []Argument      // a mapping
}

// readArguments reads a mapping by name or a list in order.
func readArguments(r *reader, n *yaml.Node, path string) any {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return r.fail(n, path, ErrType, "found %s: want a mapping of names to values, or a list of values in order", found(n))
	}
	v := r.argument(n, path)
	out := Arguments{Named: n.Kind == yaml.MappingNode, List: v.Members}
	for _, item := range v.List {
		out.List = append(out.List, Argument{Value: item})
	}
	return out
}

func (r *reader) argument(n *yaml.Node, path string) (v ArgumentValue) {
	n = deref(n)
	r.depth++
	defer func() { r.depth-- }()
	if r.nodes++; r.nodes > maxNodes || r.depth > maxDepth {
		if len(r.errs) == 0 || r.nodes <= maxNodes {
			r.fail(n, path, ErrLimit, "found more than %d values, or nesting deeper than %d: want less", maxNodes, maxDepth)
		}
		return v
	}
	r.positions[path] = position{r.file, n.Line}
	switch {
	case n.Kind == yaml.MappingNode:
		r.pairs(n, path, func(key, value *yaml.Node, p string) {
			v.Members = append(v.Members, Argument{key.Value, r.argument(value, p)})
		})
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			v.List = append(v.List, r.argument(item, indexPath(path, i)))
		}
	case n.Tag == "!!null":
		v.Null = true
	case n.Value == "":
		r.fail(n, path, ErrType, "found an empty text: want a number, an expression or the name of a buffer")
	default:
		v.Text = Expr(n.Value)
	}
	return v
}

func argumentsSchema(*schemaBuilder) object {
	value := object{}
	return object{"anyOf": []any{mapOf(value), object{"type": "array", "items": value}}}
}

// expressions lists the expressions in a value, names of buffers among them.
func (v *ArgumentValue) expressions() (list []Expr) {
	if v.Text != "" {
		list = append(list, v.Text)
	}
	for i := range v.List {
		list = append(list, v.List[i].expressions()...)
	}
	for i := range v.Members {
		list = append(list, v.Members[i].Value.expressions()...)
	}
	return list
}

// A KernelCall is the launch of a kernel with all expressions evaluated.
type KernelCall struct {
	Dims      int        // of the grid
	Global    [3]uint32  // work-items; 1 beyond Dims
	Local     [3]uint32  // work-items of a workgroup; zero: the job does not say
	Offset    [3]uint64  // global id of the first work-item
	Arguments GivenValue // a list, or members
	// LocalBytes are the bytes of the LDS that local pointers point to, by argument. The launch knows them when its
	// kernel is known.
	LocalBytes map[int]uint32
}

// Short reports that the last workgroups of the grid have fewer work-items than the others.
func (k *KernelCall) Short() bool {
	for i, n := range k.Local {
		if n > 0 && k.Global[i]%n != 0 {
			return true
		}
	}
	return false
}

// A GivenValue is what a job gives for an argument, evaluated in each way that it can be meant.
type GivenValue struct {
	Name    string // of a member or an argument; empty: in order
	Text    string // as written; empty: List, Members or Null
	Number  Number // of Text
	Err     error  // Text is no number
	Null    bool
	List    []GivenValue
	Members []GivenValue
	// Bytes are those of a mapping with a typed list alone, {f32: [1, 2]}.
	Bytes []byte
}

func (j *Job) given(v *ArgumentValue, s scope) (out GivenValue, err error) {
	out.Text, out.Null = string(v.Text), v.Null
	if v.Text != "" {
		if out.Err = v.Text.check(); out.Err == nil {
			out.Number, out.Err = v.Text.eval(s, Number{})
		}
	}
	for i := range v.List {
		item, err := j.given(&v.List[i], s)
		if err != nil {
			return out, underKey(indexPath("", i), err)
		}
		out.List = append(out.List, item)
	}
	for i := range v.Members {
		item, err := j.given(&v.Members[i].Value, s)
		if err != nil {
			return out, underKey(v.Members[i].Name, err)
		}
		item.Name = v.Members[i].Name
		out.Members = append(out.Members, item)
	}
	if len(v.Members) == 1 && isElementType(v.Members[0].Name) {
		out.Bytes, err = j.typedBytes(&v.Members[0], s)
	}
	return out, err
}

// typedBytes are the bytes of {f32: [1, 2]}.
func (j *Job) typedBytes(a *Argument, s scope) ([]byte, error) {
	var list []Expr
	for _, v := range append(slices.Clone(a.Value.List), a.Value) {
		if v.Text != "" {
			if err := v.Text.check(); err != nil {
				return nil, underKey(a.Name, err)
			}
			list = append(list, v.Text)
		}
	}
	g := &generator{job: j, scope: s, limit: MaxPushBytes}
	err := g.typed(a.Name, a.Name, list, "")
	return g.out.Bytes, err
}

// kernelCall evaluates the sizes and arguments of a kernel's launch.
func (u *unroller) kernelCall(step *Step, l *Launch, s scope, at string) bool {
	k := &KernelCall{Dims: len(step.Global), Global: [3]uint32{1, 1, 1}}
	var offset [3]uint32
	for _, list := range []struct {
		key   string
		from  []Expr
		to    *[3]uint32
		least int64
	}{{"global", step.Global, &k.Global, 0}, {"local", step.Local, &k.Local, 1}, {"global_offset", step.GlobalOffset, &offset, 0}} {
		for i, e := range list.from {
			n, err := e.evalInt(s, 0, list.least, math.MaxUint32)
			if err != nil {
				u.fail(indexPath(sub(at, list.key), i), err)
				return false
			}
			list.to[i] = uint32(n)
		}
	}
	for i := range k.Offset {
		k.Offset[i] = uint64(offset[i])
		if len(step.Local) > 0 {
			k.Local[i] = max(k.Local[i], 1)
		}
		if l.Dispatch[i] = k.Global[i]; k.Local[i] > 0 {
			l.Dispatch[i] = uint32((uint64(k.Global[i]) + uint64(k.Local[i]) - 1) / uint64(k.Local[i]))
		}
	}
	for i := range step.Arguments.List {
		a := &step.Arguments.List[i]
		v, err := u.job.given(&a.Value, s)
		if err != nil {
			u.fail(at, underKey("arguments."+a.Name, err))
			return false
		}
		if v.Name = a.Name; step.Arguments.Named {
			k.Arguments.Members = append(k.Arguments.Members, v)
		} else {
			k.Arguments.List = append(k.Arguments.List, v)
		}
	}
	l.Kernel = k
	return true
}

// kernelProblems checks the keys of a kernel's launch against each other.
func kernelProblems(s *Step, at string) (ps []problem) {
	for _, k := range []struct {
		key string
		n   int
	}{{"local", len(s.Local)}, {"global_offset", len(s.GlobalOffset)}} {
		switch {
		case k.n > 0 && len(s.Global) == 0:
			ps = append(ps, problem{sub(at, k.key), "found without global: want the work-items of the grid too", ErrMissing})
		case k.n > 0 && k.n != len(s.Global):
			ps = append(ps, problem{sub(at, k.key), fmt.Sprintf("found %d dimensions: want %d, as global has", k.n, len(s.Global)), ErrRange})
		}
	}
	if len(s.Base) > 0 && len(s.Global) > 0 {
		ps = append(ps, problem{sub(at, "base"), "found base for a kernel: want global_offset", ErrRange})
	}
	return ps
}

func (j *Job) launchesKernels() bool {
	var some func(list []Step) bool
	some = func(list []Step) bool {
		return slices.ContainsFunc(list, func(s Step) bool { return len(s.Global) > 0 || some(s.Steps) })
	}
	return len(j.Global) > 0 || slices.ContainsFunc(j.allSteps(), some)
}

// unbindBuffers makes buffers of a job with kernels that name no descriptor reachable by their address alone.
func (j *Job) unbindBuffers() {
	if !j.launchesKernels() {
		return
	}
	for i := range j.Buffers {
		bound := slices.ContainsFunc([]string{"set", "binding", "index"}, func(key string) bool {
			_, given := j.positions[indexPath("buffers", i)+"."+key]
			return given
		})
		j.Buffers[i].Unbound = j.Buffers[i].Unbound || !bound
	}
}

// CompileOptions are the words of clang's command line that the job gives for OpenCL C.
func (j *Job) CompileOptions() (options string, defines []Define, err error) {
	for _, v := range j.Compile.Defines {
		n, err := v.Value.eval(j.scope, Number{})
		if err != nil {
			return "", nil, withPositions([]problem{{joinPath("compile.defines", v.Name), err.Error(), ErrExpr}}, j.positions)
		}
		defines = append(defines, Define{v.Name, fmt.Sprint(n.value())})
	}
	return j.Compile.Options, defines, nil
}

// A SourceFile is a file that OpenCL C includes, named from the folder of the job.
type SourceFile struct {
	Name string
	Text []byte
}

// included finds the name of a file in the text that includes it.
var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)?`)

// includeFolder finds folders among the options of a compiler.
var includeFolder = regexp.MustCompile(`(?:^|\s)-I\s*(\S+)`)

const maxIncluded, maxIncludedBytes = 1000, 1 << 24

// Included returns the files that a source in OpenCL C includes, and those that these include, whether or not the
// preprocessor comes to them: from the folder of the including file or, as those in angle brackets, from the folders of
// the option -I. Those that do not exist are left to the compiler's message.
func (j *Job) Included(source string, text []byte) (list []SourceFile, err error) {
	folders := lists.Map(includeFolder.FindAllStringSubmatch(j.Compile.Options, -1), func(m []string) string { return m[1] })
	seen := map[string]bool{path.Clean(source): true}
	var scan func(name string, text []byte) error
	scan = func(name string, text []byte) error {
		for _, m := range included.FindAllSubmatch(text, -1) {
			file, from := string(m[1]), append([]string{path.Dir(name)}, folders...)
			if m[1] == nil {
				file, from = string(m[2]), folders
			}
			if file == "" || path.IsAbs(file) {
				return fmt.Errorf("%s: found %s: want the name of a file from its folder or one of -I, in quotes or angle brackets", name, bytes.TrimSpace(m[0]))
			}
			for _, folder := range from {
				at := path.Join(folder, file)
				data, err := files.ReadFrom(j.fsys, relative(path.Dir(j.file), at), maxIncludedBytes)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if seen[at] {
					break
				}
				if len(seen) > maxIncluded {
					return fmt.Errorf("%s: found more than %d included files: want fewer", source, maxIncluded)
				}
				seen[at] = true
				list = append(list, SourceFile{at, data})
				if err := scan(at, data); err != nil {
					return err
				}
				break
			}
		}
		return nil
	}
	return list, scan(source, text)
}

// Sandboxed reports whether other programs may not read the job's files, or do not find them.
func (j *Job) Sandboxed() bool { return !files.Unrestricted(j.fsys) }

// A Define is a macro of the preprocessor.
type Define struct{ Name, Value string }

// Encode returns the bytes of a number as an element of a type (u8 ... f64), which must hold it.
func Encode(typ string, n Number) ([]byte, error) {
	n, err := n.Fit(typ)
	if err != nil {
		return nil, err
	}
	b := make([]byte, elementBytes(typ))
	encoders[typ](b, n)
	return b, nil
}
