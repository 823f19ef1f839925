package config

import (
	"io/fs"
	"slices"
)

// Job is a job file: a shader, its resources, one dispatch or several steps, and the expected results.
//
// Expr fields hold a number or an expression over the job's parameters and the loop variables of the step.
type Job struct {
	Name        string     `yaml:"-"`
	Machine     string     `yaml:"machine" doc:"preset name, or a machine file named relative to the job file"`
	Set         Overrides  `yaml:"set" doc:"machine fields to set, by path (lds.banks) or nested"`
	Description string     `yaml:"description" doc:"free text: what the job shows"`
	Parameters  []Variable `yaml:"parameters" form:"map" doc:"named numbers for the job's expressions, in order; a later one may use earlier ones"`

	Shader         string           `yaml:"shader" doc:"a .spv, .spvasm or .cl file, relative to the job file"`
	Compile        Compile          `yaml:"compile" doc:"how shaders in OpenCL C (.cl) are compiled"`
	Entry          string           `yaml:"entry" doc:"entry point; may be left out if the module has only one"`
	WaveSize       int              `yaml:"wave_size" enum:"0|16|32|64" unit:"lanes" doc:"wave size for this job; 0: the machine's"`
	MinWaveSize    int              `yaml:"min_wave_size" enum:"0|16|32|64" unit:"lanes" doc:"least wave size for which the job's shaders are written; where the machine's is less, the job runs at the least of its wave_sizes that is enough; 0: any"`
	Specialization []Specialization `yaml:"specialization" form:"map" doc:"specialization constants by SpecId (or by OpName)"`
	Buffers        []Buffer         `yaml:"buffers" doc:"buffers, texel buffers and storage images"`
	PushConstants  []PushConstant   `yaml:"push_constants" doc:"values of the push constant block; each is aligned to its own size"`
	Dispatch       []Expr           `yaml:"dispatch" items:"1..3" unit:"workgroups" doc:"workgroups in x, y and z"`
	Base           []Expr           `yaml:"base" items:"1..3" doc:"ids of the first workgroup in x, y and z; left out: 0"`
	Global         []Expr           `yaml:"global" items:"1..3" unit:"work-items" doc:"for a kernel, instead of dispatch: size of the grid in each dimension"`
	Local          []Expr           `yaml:"local" items:"1..3" unit:"work-items" doc:"size of a kernel's workgroups; left out: that of the kernel's reqd_work_group_size or work_group_size_hint, else at most 256, 16 x 16 or 8 x 8 x 4"`
	GlobalOffset   []Expr           `yaml:"global_offset" items:"1..3" unit:"work-items" doc:"global id of a kernel's first work-item; left out: 0"`
	Arguments      Arguments        `yaml:"arguments" doc:"arguments of a kernel, by name or in order: names of buffers, numbers, lists for vectors, arrays and structures, {local: bytes} for local pointers; docs/guide/opencl.md has all forms"`
	Draw           *Draw            `yaml:"draw" doc:"triangles for a fragment shader, instead of workgroups"`
	Samplers       []Sampler        `yaml:"samplers" doc:"samplers of the shader's sampled images"`
	Steps          []Step           `yaml:"steps" doc:"several dispatches over the same buffers, in order"`
	Queues         []Queue          `yaml:"queues" doc:"instead of steps: hardware queues, each with its steps; steps overlap unless one waits for another (barrier, after)"`
	Nodes          []Node           `yaml:"nodes" doc:"the nodes of an execution graph, or of several"`
	Graph          []GraphDispatch  `yaml:"graph" doc:"payloads that the host dispatches to the graph, all at once"`
	ScratchBytes   Expr             `yaml:"scratch_bytes" unit:"bytes" doc:"scratch memory for the payloads of each graph; left out: the machine's queue.scratch_bytes"`
	GraphRepeat    Expr             `yaml:"graph_repeat" doc:"number of times that the graph is dispatched, one after the other; left out: 1"`
	MeshOutputs    []MeshOutput     `yaml:"mesh_outputs" doc:"buffers for the outputs of mesh nodes"`
	Mode           string           `yaml:"mode" enum:"timed|functional|sampled" doc:"how the job runs: timed; functional (the same values, no timing, faster); sampled (a part is timed, the rest is estimated); left out: timed"`
	Time           *Time            `yaml:"time" doc:"the part of a timed job that is timed; the rest runs functionally, and warms the caches; left out: all of it"`
	Sampling       *Sampling        `yaml:"sampling" doc:"settings of sampled runs; docs/guide/modes.md explains them"`
	Repeat         Expr             `yaml:"repeat" doc:"rounds of the whole job over the same buffers; only the last is reported"`
	Expect         []Expect         `yaml:"expect" doc:"contents that buffers must have at the end"`
	Limits         Limits           `yaml:"limits" doc:"limits at which the run is stopped"`

	fsys      fs.FS // where the job's files are
	file      string
	positions map[string]position
	scope     scope // the parameters
}

// Limits bound the cost of a run. They change no result: a run that exceeds one fails with an error.
type Limits struct {
	Cycles      int     `yaml:"cycles" range:"0..1152921504606846976" unit:"cycles" doc:"simulated cycles over all rounds and launches; 0 or left out: no limit"`
	HostSeconds float64 `yaml:"host_seconds" range:"0..31536000" unit:"seconds" doc:"time on the computer that simulates; 0 or left out: no limit"`
	HostBytes   int     `yaml:"host_bytes" range:"0..1099511627776" unit:"bytes" doc:"memory of the host computer; 0 or left out: four fifths of its memory"`
}

// Specialization sets one specialization constant, by number or by name.
type Specialization struct {
	ID    uint32 // SpecId, when Name is empty
	Name  string // OpName of the constant
	Value Expr
}

// key is the path of the value in its job, step or node.
func (s *Specialization) key() string { return (&SpecValue{ID: s.ID, Name: s.Name}).Key() }

// Variable is a named expression: a parameter.
type Variable struct {
	Name  string
	Value Expr
}

// Step is one dispatch of a job with several. Missing fields are the job's.
type Step struct {
	Name           string           `yaml:"name" doc:"name of the step in statistics"`
	For            []Loop           `yaml:"for" form:"map" doc:"loop variables with ranges first..last, both included; the last variable varies fastest; a range may depend on earlier variables"`
	Shader         string           `yaml:"shader" doc:"a .spv, .spvasm or .cl file, relative to the job file"`
	Entry          string           `yaml:"entry" doc:"entry point"`
	Specialization []Specialization `yaml:"specialization" form:"map" doc:"specialization constants by SpecId (or by OpName), over the job's"`
	PushConstants  []PushConstant   `yaml:"push_constants" doc:"push constant block"`
	Dispatch       []Expr           `yaml:"dispatch" items:"1..3" unit:"workgroups" doc:"workgroups in x, y and z"`
	Base           []Expr           `yaml:"base" items:"1..3" doc:"ids of the first workgroup in x, y and z; left out: 0"`
	Global         []Expr           `yaml:"global" items:"1..3" unit:"work-items" doc:"for a kernel, instead of dispatch: size of the grid in each dimension"`
	Local          []Expr           `yaml:"local" items:"1..3" unit:"work-items" doc:"size of a kernel's workgroups; left out: that of the kernel's reqd_work_group_size or work_group_size_hint, else at most 256, 16 x 16 or 8 x 8 x 4"`
	GlobalOffset   []Expr           `yaml:"global_offset" items:"1..3" unit:"work-items" doc:"global id of a kernel's first work-item; left out: 0"`
	Arguments      Arguments        `yaml:"arguments" doc:"arguments of a kernel, by name or in order; left out: those of the enclosing steps or job"`
	Indirect       *Indirect        `yaml:"indirect" doc:"instead of dispatch: place of the numbers of workgroups in a buffer"`
	WaveSize       int              `yaml:"wave_size" enum:"0|16|32|64" unit:"lanes" doc:"wave size of the step; 0: the job's"`
	Bindings       []NodeBinding    `yaml:"bindings" doc:"buffers or images at some bindings of this step, instead of those that the job binds there"`
	Samplers       []Sampler        `yaml:"samplers" doc:"samplers of this step, over the job's"`
	Draw           *Draw            `yaml:"draw" doc:"triangles for a fragment shader, instead of workgroups"`
	Graph          []GraphDispatch  `yaml:"graph" doc:"payloads that are dispatched to a graph of the job's nodes, all at once"`
	Copy           *Copy            `yaml:"copy" doc:"copy between host and device memory; it takes time but changes nothing, as buffers hold their data from the start"`
	Synchronize    bool             `yaml:"synchronize" doc:"the host waits until all earlier work has ended, which takes host.synchronize_cycles; the next launch then costs as much as a first launch, because it does not wait in a stream"`
	Transfer       *Transfer        `yaml:"transfer" doc:"transfer of bytes in device memory; it takes the cost of a launch, and then moves its bytes at the rate of all memory channels"`
	Mode           string           `yaml:"mode" enum:"timed|functional|sampled" doc:"how the step runs, if not as the job does"`
	Once           bool             `yaml:"once" doc:"whether the step runs only in the first round of a job that repeats, to prepare what later rounds measure"`
	Steps          []Step           `yaml:"steps" doc:"steps inside the loop, run in order for each value of the loop variables"`
	After          []string         `yaml:"after" doc:"for a step in a queue: names of steps, in any queue; it begins when all launches of these have ended"`
	Barrier        bool             `yaml:"barrier" default:"true" doc:"for a step in a queue: whether it waits until all launches before it in its queue have ended; false: it may overlap them"`
	Release        []string         `yaml:"release" doc:"for a step in a queue that waits for others: levels of memory that write stored data back before it begins; left out: all levels that do so at the end of a launch"`
	Acquire        []string         `yaml:"acquire" doc:"for a step in a queue that waits for others: levels of memory that drop their lines before it begins; left out: all levels that do so at the beginning of a launch"`
}

// Copy is a copy between host and device memory.
type Copy struct {
	To    string `yaml:"to" enum:"device|host" doc:"destination of the bytes"`
	Bytes Expr   `yaml:"bytes" unit:"bytes" doc:"bytes that are copied"`
}

// Indirect locates the number of workgroups of a dispatch: three u32, which are read when it begins. If one is 0,
// nothing runs.
type Indirect struct {
	Buffer string `yaml:"buffer" doc:"name of the buffer"`
	Offset Expr   `yaml:"offset" unit:"bytes" doc:"first byte of the three numbers; left out: 0"`
}

// Transfer moves bytes between buffers, as copies and fills of command buffers do.
type Transfer struct {
	Bytes Expr           `yaml:"bytes" unit:"bytes" doc:"bytes read and written, which determine the time"`
	Moves []TransferMove `yaml:"moves" doc:"moves, in order"`
}

// TransferMove copies rows of bytes from one buffer, or from given data, to another.
type TransferMove struct {
	To     string `yaml:"to" doc:"name of the buffer that is written"`
	At     Expr   `yaml:"at" unit:"bytes" doc:"first byte written; left out: 0"`
	From   string `yaml:"from" doc:"name of the buffer that is read"`
	Offset Expr   `yaml:"offset" unit:"bytes" doc:"first byte read; left out: 0"`
	Data   *Data  `yaml:"data" doc:"instead of from: data that is written, repeated to fill the bytes"`
	Bytes  Expr   `yaml:"bytes" unit:"bytes" doc:"bytes of a row"`
	Rows   Expr   `yaml:"rows" doc:"rows; left out: 1"`
	ToRow  Expr   `yaml:"to_row" unit:"bytes" doc:"distance from one row that is written to the next; left out: bytes"`
	OfRow  Expr   `yaml:"from_row" unit:"bytes" doc:"distance from one row that is read to the next; left out: bytes"`
}

// Loop is one loop variable; First and Last are both included, and nothing runs when Last < First.
type Loop struct {
	Name        string
	First, Last Expr
}

// Buffer is one resource binding. Exactly one of Data, Image or TexelBuffer with Data describes its contents.
type Buffer struct {
	Set         uint32 `yaml:"set" doc:"descriptor set"`
	Binding     uint32 `yaml:"binding" doc:"binding"`
	Index       uint32 `yaml:"index" doc:"element of a descriptor array"`
	Unbound     bool   `yaml:"unbound" doc:"whether the buffer has no descriptor, so that shaders reach it only by its address"`
	Name        string `yaml:"name" doc:"name for expect, addresses and --dump"`
	Data        *Data  `yaml:"data" doc:"initial contents, which also give the size"`
	Image       *Image `yaml:"image" doc:"storage image instead of a buffer"`
	TexelBuffer string `yaml:"texel_buffer" doc:"texel format, when the buffer is a texel buffer"`
	Address     Expr   `yaml:"address" doc:"device address, for contents that already hold addresses; left out: the next free address"`
	PartOf      string `yaml:"part_of" doc:"instead of data: name of an earlier buffer; this buffer is a part of its memory"`
	Offset      Expr   `yaml:"offset" unit:"bytes" doc:"first byte of the part; left out: 0"`
	PartBytes   Expr   `yaml:"bytes" unit:"bytes" doc:"size of the part; left out: to the end of the buffer"`

	job   *Job
	index int
}

// Image is a storage image: tightly packed texels, x fastest, then y, z, layer.
type Image struct {
	Format  string `yaml:"format" doc:"texel format, as SPIR-V spells it (Rgba32f, R32ui, ...)"`
	Width   Expr   `yaml:"width" unit:"texels" doc:"width"`
	Height  Expr   `yaml:"height" unit:"texels" doc:"height; left out: 1"`
	Depth   Expr   `yaml:"depth" unit:"texels" doc:"depth; left out: 1"`
	Layers  Expr   `yaml:"layers" doc:"array layers, six for each cube; left out: 1"`
	Samples Expr   `yaml:"samples" doc:"samples of each texel, a power of two; the texels of a layer are stored once for each sample; left out: 1"`
	Mips    string `yaml:"mips" enum:"none|auto|data" doc:"levels of detail after the first. auto: averages of 2x2 texels, or of 2x2x2 in an image with a depth; data: part of data, level after level; left out: none"`
	Levels  Expr   `yaml:"levels" doc:"number of levels of detail, with mips; left out: down to one texel"`
	Data    *Data  `yaml:"data" doc:"texels; left out: zero"`
}

// Data generates bytes. Exactly one of Iota, Zero, File, Random, Values, AddressOf, Repeat and Parts is set.
type Data struct {
	Iota  string `yaml:"iota" enum:"u8|i8|u16|i16|u32|i32|u64|i64|f16|f32|f64" doc:"element type of the sequence start, start + step, ..."`
	Count Expr   `yaml:"count" doc:"number of elements of iota or values (values repeat to fill it)"`
	Start Expr   `yaml:"start" doc:"first element of iota; left out: 0"`
	Step  Expr   `yaml:"step" doc:"difference between elements of iota; left out: 1"`

	Zero Expr `yaml:"zero" unit:"bytes" doc:"this many zero bytes"`

	File   string `yaml:"file" doc:"raw bytes of a file, relative to the job file"`
	Offset Expr   `yaml:"offset" unit:"bytes" doc:"first byte of the file"`
	Bytes  Expr   `yaml:"bytes" unit:"bytes" doc:"bytes of the file; left out: to its end"`

	Random *Random `yaml:"random" doc:"pseudo-random elements, the same for the same seed"`

	Values []Expr `yaml:"values" doc:"elements"`
	Type   string `yaml:"type" enum:"u8|i8|u16|i16|u32|i32|u64|i64|f16|f32|f64" doc:"element type of values; left out: u32"`

	AddressOf string `yaml:"address_of" doc:"64-bit device address of the named buffer"`

	Repeat *Repeat `yaml:"repeat" doc:"the same data several times"`
	Parts  []Data  `yaml:"parts" doc:"pieces, one after the other"`
}

// Random draws Count elements uniformly from Min..Max (both included for integers).
type Random struct {
	Type  string `yaml:"type" enum:"u8|i8|u16|i16|u32|i32|u64|i64|f16|f32|f64" doc:"element type; left out: f32"`
	Seed  Expr   `yaml:"seed" doc:"seed; left out: 0"`
	Count Expr   `yaml:"count" doc:"elements"`
	Min   Expr   `yaml:"min" doc:"lowest value; left out: 0"`
	Max   Expr   `yaml:"max" doc:"highest value; left out: 1 for floats, the largest of the type for integers"`
}

// Repeat is Data written Times times.
type Repeat struct {
	Times Expr  `yaml:"times" doc:"number of times"`
	Data  *Data `yaml:"data" doc:"the data to repeat"`
}

// Typed is an element type with values of it, written {u32: 1} or {f32: [0.5, n]}.
type Typed struct {
	Type   string // u8 ... f64; empty: no typed key is set
	Values []Expr
}

// PushConstant is one value, or a list of values of one type, of the push constant block.
type PushConstant struct {
	Typed   Typed
	Address string `yaml:"address" doc:"64-bit device address of the named buffer, instead of a typed value"`
	Offset  Expr   `yaml:"offset" unit:"bytes" doc:"offset in the block; left out: after the value before it, aligned to its own size"`
}

// Expect describes the expected final contents of a buffer, from byte Offset on: typed values, generated data, a file
// or a digest.
type Expect struct {
	Typed     Typed
	Buffer    string  `yaml:"buffer" doc:"name of the buffer"`
	Count     Expr    `yaml:"count" doc:"elements to compare; the values repeat to fill it"`
	Data      *Data   `yaml:"data" doc:"generated contents"`
	File      string  `yaml:"file" doc:"raw bytes of a file, relative to the job file"`
	SHA256    string  `yaml:"sha256" doc:"digest of the bytes from offset on, in hexadecimal"`
	Offset    Expr    `yaml:"offset" unit:"bytes" doc:"first byte compared"`
	Bytes     Expr    `yaml:"bytes" unit:"bytes" doc:"bytes compared by sha256; left out: to the buffer's end"`
	As        string  `yaml:"as" enum:"u8|i8|u16|i16|u32|i32|u64|i64|f16|f32|f64" doc:"element type for data and file, when a tolerance is given"`
	Tolerance float64 `yaml:"tolerance" range:"0..1e300" doc:"allowed |got - want| / max(1, |want|), for floats"`

	job   *Job
	index int
}

// Shaders lists the files of the job's shaders, relative to the job file, each once.
func (j *Job) Shaders() []string {
	var list []string
	add := func(name string) {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	add(j.Shader)
	var steps func([]Step)
	steps = func(of []Step) {
		for i := range of {
			add(of[i].Shader)
			steps(of[i].Steps)
		}
	}
	for _, list := range j.allSteps() {
		steps(list)
	}
	for i := range j.Nodes {
		add(j.Nodes[i].Shader)
	}
	return list
}
