package gpu

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/spirv/kernel"
)

// kernelUse is the launch of a kernel of the module that spirv/kernel tests, after a job's lines.
func kernelUse(t *testing.T, module, lines string) (*config.Launch, error) {
	t.Helper()
	files := fstest.MapFS{"k.spv": &fstest.MapFile{Data: suite.Must(os.ReadFile("../spirv/kernel/testdata/arguments." + module + ".spv"))(t)}}
	job, err := config.ParseJob(files, "job.yaml", []byte(`shader: k.spv
parameters: {n: 100}
buffers: [{name: x, data: {zero: 64}}, {name: y, data: {zero: 64}}]
`+lines))
	if err != nil {
		return nil, err
	}
	shaders, err := Shaders(job)
	if err != nil {
		return nil, err
	}
	return &shaders[0].Uses[0], nil
}

// le is the little-endian bytes of values, one after the other.
func le(values ...any) (b []byte) {
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v) // fails for types without a size only
	}
	return b
}

// A written is a part of the argument block.
type written struct {
	at    int
	bytes []byte
}

const scalarArguments = "-1, x, 255, -32768, [1.5, -2], 2147483647, -9223372036854775808, 0.1, 0.1, 65535, 18446744073709551615, n"

// Arguments are in the block at their places, whether they are given by name or in order, and whether or not the module
// says which integers have a sign.
func TestArguments(t *testing.T) {
	scalars := []written{
		{0, le(int8(-1))}, {16, le(uint8(255))}, {18, le(int16(-32768))}, {20, le(uint16(0x3e00), uint16(0xc000))}, {24, le(int32(math.MaxInt32))},
		{32, le(int64(math.MinInt64))}, {40, le(float32(0.1))}, {48, le(0.1)}, {56, le(uint16(65535))}, {64, le(uint64(math.MaxUint64))}, {72, le(int8(100))},
	}
	structures := []written{
		{0, le(int8(1))}, {8, le(int8(2), [7]byte{}, 3.5, int16(4), int16(5), int16(6))}, {32, le(uint8(7), uint32(8))},
		{48, le(float32(1), float32(2), float32(3), float32(0), int32(9))}, {80, le(uint8(10))}, {84, le(float32(11.5))},
		{88, le(int8(12), [7]byte{}, 13.5, int16(14), int16(15), int16(16), [2]byte{}, int64(17))},
	}
	for _, c := range []struct {
		module, lines string
		want          []written
	}{
		{"O3", "entry: scalars\narguments: [" + scalarArguments + "]", scalars},
		{"O0", "entry: scalars\narguments: [" + scalarArguments + "]", scalars},
		{"O3", "entry: scalars\narguments: {last: n, n: 18446744073709551615, us: 65535, d: 0.1, f: 0.1, l: -9223372036854775808, i: n + 2147483547, h: [1.5, -2], s: -32768, uc: 255, out: x, c: -1}", scalars},
		{"O3", "entry: vectors\narguments: {c: 0, c2: [1, 2], c3: [3, 4, 5], c16: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -15], out: x, i3: [6, 7, -8], u: 9, d3: [1, 2, 3.25], l16: {u64: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}, f4: {f32: [1, 2, 3, 4]}, s3: [1, 2, n]}", []written{
			{2, le(int8(1), int8(2))}, {4, le(int8(3), int8(4), int8(5), int8(0))}, {31, le(int8(-15))}, {48, le(int32(6), int32(7), int32(-8), int32(0))}, {64, le(uint8(9))},
			{96, le(1.0, 2.0, 3.25, 0.0)}, {128 + 8*15, le(int64(15))}, {256, le(float32(1), float32(2), float32(3), float32(4))}, {272, le(int16(1), int16(2), int16(100), int16(0))},
		}},
		{"O3", "entry: structures\narguments: [1, [2, 3.5, [4, 5, 6]], [7, 8], x, [[1, 2, 3], 9, {u8: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}], 10, [11.5], [[12, 13.5, [14, 15, 16]], 17]]", structures},
		{"O0", "entry: structures\narguments: [1, [2, 3.5, [4, 5, 6]], {u8: [7, 8, 0, 0, 0]}, x, {f32: [1, 2, 3, 0, 1.26e-44, 0, 0, 0]}, 10, {f32: [11.5]}, [[12, 13.5, [14, 15, 16]], 17]]", structures},
	} {
		l, err := kernelUse(t, c.module, "global: [64]\n"+c.lines)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range c.want {
			if got := l.Push.Bytes[w.at : w.at+len(w.bytes)]; !slices.Equal(got, w.bytes) {
				t.Errorf("%s\nat %d: %v, want %v", c.lines, w.at, got, w.bytes)
			}
		}
	}
}

// Pointers are addresses that the run fills in, and local pointers bytes of the LDS.
func TestPointerArguments(t *testing.T) {
	l := suite.Must(kernelUse(t, "O3", "global: [64]\nentry: pointers\narguments: {c: 1, in: x, scratch: {local: 4 * n}, d: 2, table: {buffer: y, offset: 16}, wide: {local: 32}, out: {buffer: x}, bytes: {local: 1}}"))(t)
	want := []config.AddressFixup{{At: 8, Buffer: "x"}, {At: 24, Buffer: "y", Plus: 16}, {At: 40, Buffer: "x"}}
	if !slices.Equal(l.Push.Addresses, want) {
		t.Errorf("%v, want %v", l.Push.Addresses, want)
	}
	if want := map[int]uint32{2: 400, 5: 32, 7: 1}; !maps.Equal(l.Kernel.LocalBytes, want) {
		t.Errorf("%v, want %v", l.Kernel.LocalBytes, want)
	}
	l = suite.Must(kernelUse(t, "O3", "global: [64]\nentry: required\narguments: [null]"))(t)
	if len(l.Push.Addresses) != 0 || !slices.Equal(l.Push.Bytes[:8], make([]byte, 8)) {
		t.Errorf("null: %v %v", l.Push.Addresses, l.Push.Bytes[:8])
	}
}

// The grid in workgroups is as code object version 5 has it: whole ones are counted, and the rest is a remainder.
func TestGridOfKernels(t *testing.T) {
	for _, c := range []struct {
		lines           string
		dispatch, local [3]uint32
		counts, rest    [3]uint32
		offset          [3]uint64
		dims            uint16
	}{
		{"entry: none\nglobal: [1000]", [3]uint32{4, 1, 1}, [3]uint32{256, 1, 1}, [3]uint32{3, 1, 1}, [3]uint32{232}, [3]uint64{}, 1},
		{"entry: none\nglobal: [30, 33]", [3]uint32{2, 3, 1}, [3]uint32{16, 16, 1}, [3]uint32{1, 2, 1}, [3]uint32{14, 1}, [3]uint64{}, 2},
		{"entry: none\nglobal: [4, 9, 5]\nglobal_offset: [1, 0, 4294967295]", [3]uint32{1, 2, 2}, [3]uint32{4, 8, 4}, [3]uint32{1, 1, 1}, [3]uint32{0, 1, 1}, [3]uint64{1, 0, math.MaxUint32}, 3},
		{"entry: none\nglobal: [n, 2]\nlocal: [64, 1]", [3]uint32{2, 2, 1}, [3]uint32{64, 1, 1}, [3]uint32{1, 2, 1}, [3]uint32{36}, [3]uint64{}, 2},
		{"entry: required\nglobal: [16, 5]\narguments: [x]", [3]uint32{2, 2, 1}, [3]uint32{8, 4, 2}, [3]uint32{2, 1, 0}, [3]uint32{0, 1, 1}, [3]uint64{}, 2},
		{"entry: hinted\nglobal: [64]\narguments: [x]", [3]uint32{2, 1, 1}, [3]uint32{32, 2, 1}, [3]uint32{2, 0, 1}, [3]uint32{0, 1, 0}, [3]uint64{}, 1},
		{"entry: none\nglobal: [0]", [3]uint32{0, 1, 1}, [3]uint32{1, 1, 1}, [3]uint32{0, 1, 1}, [3]uint32{}, [3]uint64{}, 1},
	} {
		text := c.lines
		if !strings.Contains(text, "arguments") {
			text += "\narguments: []"
		}
		l, err := kernelUse(t, "O3", text)
		if err != nil {
			t.Error(err)
			continue
		}
		hidden := l.Push.Bytes[len(l.Push.Bytes)-kernel.HiddenBytes:]
		want := make([]byte, kernel.HiddenBytes)
		copy(want[kernel.BlockCount:], le(c.counts))
		for i := range 3 {
			copy(want[kernel.GroupSize+2*i:], le(uint16(c.local[i])))
			copy(want[kernel.Remainder+2*i:], le(uint16(c.rest[i])))
		}
		copy(want[kernel.GlobalOffset:], le(c.offset))
		copy(want[kernel.GridDims:], le(c.dims))
		if l.Dispatch != c.dispatch || l.Kernel.Local != c.local || !slices.Equal(hidden, want) {
			t.Errorf("%s: %v groups of %v, want %v of %v; hidden %v, want %v", c.lines, l.Dispatch, l.Kernel.Local, c.dispatch, c.local, hidden, want)
		}
	}
}

// What a kernel can't be called with is named, with the line of the job and what the kernel wants.
func TestWrongArguments(t *testing.T) {
	pointers := func(key, value string) string {
		given := map[string]string{"c": "1", "in": "x", "scratch": "{local: 64}", "d": "2", "table": "y", "wide": "{local: 32}", "out": "x", "bytes": "{local: 1}"}
		given[key] = value
		var list []string
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if given[name] != "" {
				list = append(list, name+": "+given[name])
			}
		}
		return "entry: pointers\narguments: {" + strings.Join(list, ", ") + "}"
	}
	structure := func(record string) string {
		return fmt.Sprintf("entry: structures\narguments: [1, %s, [7, 8], x, [[1, 2, 3], 9, {u8: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}], 10, [11.5], [[12, 13.5, [14, 15, 16]], 17]]", record)
	}
	scalar := func(at int, value string) string {
		list := strings.Split(strings.Replace(scalarArguments, "[1.5, -2]", "[1.5; -2]", 1), ", ")
		list[at] = value
		return "entry: scalars\narguments: [" + strings.ReplaceAll(strings.Join(list, ", "), ";", ",") + "]"
	}
	for lines, want := range map[string]string{
		"arguments: [x]":                                       `found no entry: want one of "scalars", "vectors", `,
		"entry: nothing\narguments: []":                        `entry: found no entry point "nothing" in k.spv: want one of`,
		"entry: required\narguments: []":                       "job.yaml:6: arguments: found 0 arguments: want 1, required(global int* out)",
		"entry: required\narguments: [x, y]":                   "arguments: found 2 arguments: want 1, required(global int* out)",
		"entry: required\narguments: {into: x}":                "job.yaml:6: arguments.into: found an argument that required does not have: want required(global int* out)",
		"entry: required\narguments: {}":                       "arguments: found 0 arguments: want 1, required(global int* out)",
		"entry: required\narguments: [z]":                      "arguments[0]: found z: want the name of a buffer, for global int*",
		"entry: required\narguments: [3]":                      "arguments[0]: found 3: want the name of a buffer, for global int*",
		"entry: required\narguments: [[x]]":                    "arguments[0]: found a list of 1: want the name of a buffer, for global int*",
		"entry: required\narguments: [{buffer: x, at: 4}]":     "arguments[0]: found the key at: want buffer, and offset in bytes, for global int*",
		"entry: required\narguments: [{buffer: x, offset: z}]": "arguments[0]: offset: found z: want a number",
		"entry: required\nlocal: [8]\narguments: [x]":          "job.yaml:6: local: found 8 x 1 x 1: want 8 x 4 x 2, as reqd_work_group_size of required says",
		"entry: none\nlocal: [65536]\narguments: []":           "local: found 65536 x 1 x 1 = 65536 work-items: want at most 65535 in a workgroup",
		scalar(0, "128"):                                       "arguments[0]: found 128: want",
		scalar(0, "x"):                                         "for char",
		scalar(2, "-1"):                                        "arguments[2]: found -1: want",
		scalar(4, "[1]"):                                       "arguments[4]: found a list of 1: want a list of 2 values, for half2",
		scalar(4, "1"):                                         "arguments[4]: found 1: want a list of 2 values, for half2",
		scalar(4, "[1; x]"):                                    "arguments[4]: [1]: ",
		scalar(5, "1.5"):                                       "arguments[5]: found 1.5: want",
		scalar(5, "null"):                                      "arguments[5]: found null: want a number, for int",
		scalar(7, "[1]"):                                       "arguments[7]: found a list of 1: want a number, for float",
		scalar(6, "{u8: [1; 2]}"):                              "arguments[6]: found 2 bytes: want 8, for long",
		pointers("scratch", "64"):                              "arguments.scratch: found 64: want {local: BYTES}, for local float*",
		pointers("scratch", "x"):                               "arguments.scratch: found x: want {local: BYTES}, for local float*",
		pointers("scratch", "{local: 0}"):                      "arguments.scratch: local: found 0: want",
		pointers("in", "{local: 64}"):                          "arguments.in: found the key local: want buffer, and offset in bytes, for global int*",
		pointers("wide", ""):                                   "arguments: missing wide: want pointers(char c, global int* in, local float* scratch",
		structure("3"):                                         "arguments[1]: found 3: want its 3 members in order, or {u8: [...]} of all its bytes, for record",
		structure("[1, 2]"):                                    "arguments[1]: found a list of 2: want its 3 members in order",
		structure("{u8: [1, 2]}"):                              "arguments[1]: found 2 bytes: want 24, for record",
		structure("[1, 2, [3, 4]]"):                            "arguments[1]: member 2: found a list of 2: want a list of 3 values",
		structure("[1, 2, [3, 4, 70000]]"):                     "arguments[1]: member 2: [2]: found 70000: want",
		"entry: images\narguments: [1, x, 2, x, 3, x]":         "arguments[1]: found x: want the name of an image, for image2d_t",
	} {
		_, err := kernelUse(t, "O3", "global: [64]\n"+lines)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want\n%s", lines, err, want)
		}
	}
}

// Samplers have the keys of a job's samplers, and modules may have addresses of 32 bits.
func TestArgumentsOfImagesAndOtherModules(t *testing.T) {
	images := func(s string) string { return "O3 entry: images\narguments: [1, i, 2, v, " + s + ", x]" }
	for lines, want := range map[string]string{
		images("{filter: linear, wrap: mirror}"): "",
		images("{unnormalized: true}"):           "",
		images("3"):                              "arguments[4]: found 3: want a mapping with filter, wrap and unnormalized, for sampler_t",
		images("{mip: linear}"):                  "arguments[4]: found the key mip: want filter, wrap or unnormalized, for sampler_t",
		images("{wrap: edge}"):                   "arguments[4]: wrap: found edge: want repeat, mirror, clamp, border, for sampler_t",
		images("{filter: [1, 2]}"):               "arguments[4]: filter: found a list of 2: want nearest, linear, for sampler_t",
		"32 entry: required\narguments: [x]":     "",
	} {
		module, rest, _ := strings.Cut(lines, " ")
		rest = strings.Replace(rest, "arguments", "global: [64]\narguments", 1)
		files := fstest.MapFS{"k.spv": &fstest.MapFile{Data: suite.Must(os.ReadFile("../spirv/kernel/testdata/arguments." + module + ".spv"))(t)}}
		job := suite.Must(config.ParseJob(files, "job.yaml", []byte("shader: k.spv\nbuffers: [{name: x, data: {zero: 64}}, {name: i, image: {format: Rgba8, width: 4, height: 4}}, {name: v, image: {format: Rgba8, width: 4, height: 4, depth: 2}}]\n"+rest)))(t)
		if _, err := Shaders(job); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want\n%s", lines, err, want)
		}
	}
}

// A kernel needs a grid in work-items, and other entry points one in workgroups.
func TestGlobalIsForKernels(t *testing.T) {
	_, err := Run(t.Context(), setupBeside(t, fstest.MapFS{"k.spv": &fstest.MapFile{Data: suite.Must(os.ReadFile("../spirv/kernel/testdata/arguments.O3.spv"))(t)}},
		"shader: k.spv\nentry: none\ndispatch: [1]", "rdna3-rx7900xtx"))
	if err == nil || !strings.Contains(err.Error(), `dispatch: "none" of k.spv is a kernel of OpenCL: want global (work-items) instead of dispatch (workgroups)`) {
		t.Error(err)
	}
	_, err = Run(t.Context(), setup(t, "shader: hello.spvasm\nglobal: [1]\nbuffers: [{set: 0, binding: 0, name: x, data: {zero: 64}}]", "rdna3-rx7900xtx"))
	if err == nil || !strings.Contains(err.Error(), `which is no kernel of OpenCL: want dispatch`) {
		t.Error(err)
	}
}
