package driver

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/mem"
	"spvsim/mem/texture"
	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/tracing"
	"spvsim/vulkan/vk"
)

// A modelSet is a set as a flat list of descriptors, in the order of bindings: for each the begin and size of its
// buffer.
type modelSet struct {
	counts []uint32
	at     [][2]uint64
}

// first is the number of a binding's first descriptor.
func (m *modelSet) first(binding uint32) (n uint32) {
	for _, c := range m.counts[:binding] {
		n += c
	}
	return n
}

// Writes and copies go from one descriptor to the next, over the ends of bindings, whether by the call or by a template; programs see them at an offset
// of their own where they are dynamic, in the order of bindings.
func TestDescriptorsGoOnInTheNextBinding(t *testing.T) {
	g := newTransferRig(t, 31)
	h := vk.Device(g.d.handle)
	const size = 1 << 16
	handle, _ := g.bytes(size)
	base := mustLookUp[*buffer](uint64(handle)).bytes(0, size)
	for round := range 60 {
		kind := []vk.DescriptorType{vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageBufferDynamic}[round%2]
		var bindings []vk.DescriptorSetLayoutBinding
		m := &modelSet{}
		for i := range uint32(1 + g.r.IntN(4)) {
			m.counts = append(m.counts, 1+g.r.Uint32N(3))
			bindings = append(bindings, vk.DescriptorSetLayoutBinding{Binding: i, DescriptorType: kind, DescriptorCount: m.counts[i]})
		}
		slices.Reverse(bindings) // the order of the array does not matter, only the numbers
		all := m.first(uint32(len(m.counts)))
		var l vk.DescriptorSetLayout
		CreateDescriptorSetLayout(h, &vk.DescriptorSetLayoutCreateInfo{BindingCount: uint32(len(bindings)), PBindings: &bindings[0]}, nil, &l)
		layout := mustLookUp[*setLayout](uint64(l))
		s, other := layout.newSet(g.d, -1), layout.newSet(g.d, -1)
		m.at = make([][2]uint64, all)
		for range 12 {
			binding := g.r.Uint32N(uint32(len(m.counts)))
			element := g.r.Uint32N(m.counts[binding])
			from := m.first(binding) + element
			n := 1 + g.r.Uint32N(all-from)
			infos := make([]vk.DescriptorBufferInfo, n)
			for i := range infos {
				infos[i] = vk.DescriptorBufferInfo{Buffer: handle, Offset: 4 * g.r.Uint64N(100), Range: 4 * (1 + g.r.Uint64N(100))}
				m.at[from+uint32(i)] = [2]uint64{infos[i].Offset, infos[i].Range}
			}
			if g.r.IntN(2) == 0 {
				w := vk.WriteDescriptorSet{DstBinding: binding, DstArrayElement: element, DescriptorCount: n, DescriptorType: kind, PBufferInfo: &infos[0]}
				s.write(&w)
			} else {
				e := vk.DescriptorUpdateTemplateEntry{DstBinding: binding, DstArrayElement: element, DescriptorCount: n, DescriptorType: kind, Offset: 0, Stride: uint64(unsafe.Sizeof(infos[0]))}
				(&updateTemplate{entries: []vk.DescriptorUpdateTemplateEntry{e}}).apply(s, unsafe.Pointer(&infos[0]))
			}
			if tooMany := (vk.WriteDescriptorSet{DstBinding: binding, DstArrayElement: element, DescriptorCount: all - from + 1, DescriptorType: kind, PBufferInfo: &make([]vk.DescriptorBufferInfo, all+1)[0]}); misused(func() { other.write(&tooMany) }) == nil {
				t.Errorf("%d descriptors from %d on of %d are written", all-from+1, from, all)
			}
		}
		copied := layout.newSet(g.d, -1)
		s.copyTo(copied, &vk.CopyDescriptorSet{DescriptorCount: all})
		dynamic := make([]uint32, all)
		for i := range dynamic {
			dynamic[i] = 8 * g.r.Uint32N(50)
		}
		if layout.dynamics() != int(all)*(round%2) {
			t.Fatalf("%d dynamic ones of %d", layout.dynamics(), all)
		}
		for _, set := range []*descriptorSet{s, copied} {
			for binding, count := range m.counts {
				b := &ir.Binding{Kind: ir.StorageBuffer}
				b.Binding, b.Count = uint32(binding), count
				for k, d := range set.resolve(b, dynamic, nil) {
					i := m.first(uint32(binding)) + uint32(k)
					want := m.at[i]
					if want[1] == 0 {
						if len(d.Bytes) > 0 {
							t.Fatalf("descriptor %d was not written, and has %d bytes", i, len(d.Bytes))
						}
						continue
					}
					if round%2 == 1 {
						want[0] += uint64(dynamic[i])
					}
					if len(d.Bytes) != int(want[1]) || &d.Bytes[0] != &base[want[0]] {
						t.Fatalf("descriptor %d of %v: %d bytes, want %v", i, m.counts, len(d.Bytes), want)
					}
				}
			}
		}
	}
}

// Writes, copies and templates fill an inline block within its size; a last binding of variable size has the descriptor
// count of its set.
func TestInlineBlocksAndVariableCounts(t *testing.T) {
	g := newTransferRig(t, 32)
	l := &setLayout{bindings: []layoutBinding{{number: 2, kind: vk.DescriptorTypeInlineUniformBlock, count: 16}}}
	for at := range uint32(18) {
		for n := uint32(1); n < 18; n++ {
			s, data := l.newSet(g.d, -1), bytes.Repeat([]byte{7}, int(n))
			want := make([]byte, 16)
			ok := at+n <= 16
			if ok {
				copy(want[at:], data)
			}
			inline := vk.WriteDescriptorSetInlineUniformBlock{SType: vk.StructureTypeWriteDescriptorSetInlineUniformBlock, DataSize: n, PData: unsafe.Pointer(&data[0])}
			w := vk.WriteDescriptorSet{PNext: unsafe.Pointer(&inline), DstBinding: 2, DstArrayElement: at, DescriptorCount: n, DescriptorType: vk.DescriptorTypeInlineUniformBlock}
			e := vk.DescriptorUpdateTemplateEntry{DstBinding: 2, DstArrayElement: at, DescriptorCount: n, DescriptorType: vk.DescriptorTypeInlineUniformBlock}
			full := l.newSet(g.d, -1)
			copy(full.blocks[0].bytes, bytes.Repeat([]byte{7}, 16))
			for name, write := range map[string]func(s *descriptorSet){
				"a write": func(s *descriptorSet) { s.write(&w) },
				"a template": func(s *descriptorSet) {
					(&updateTemplate{entries: []vk.DescriptorUpdateTemplateEntry{e}}).apply(s, unsafe.Pointer(&data[0]))
				},
				"a copy": func(s *descriptorSet) {
					full.copyTo(s, &vk.CopyDescriptorSet{SrcBinding: 2, SrcArrayElement: at, DstBinding: 2, DstArrayElement: at, DescriptorCount: n})
				},
			} {
				clear(s.blocks[0].bytes)
				if err := misused(func() { write(s) }); (err == nil) != ok || !bytes.Equal(s.blocks[0].bytes, want) {
					t.Errorf("%s of %d bytes at %d of 16: %v, %v", name, n, at, err, s.blocks[0].bytes)
				}
			}
		}
	}
	v := &setLayout{bindings: []layoutBinding{{count: 5, kind: vk.DescriptorTypeStorageBuffer}, {number: 1, count: 8, kind: vk.DescriptorTypeStorageBuffer, flags: vk.DescriptorBindingVariableDescriptorCountBit}}}
	for variable, want := range map[int64]int{-1: 8, 0: 0, 3: 3, 8: 8, 9: 8} {
		if s := v.newSet(nil, variable); len(s.elements[0]) != 5 || len(s.elements[1]) != want {
			t.Errorf("%d asked for: %d and %d descriptors, want 5 and %d", variable, len(s.elements[0]), len(s.elements[1]), want)
		}
	}
}

// The indirect dependences of a segment's item are all items reachable from it; lists are pruned of items that others
// wait for.
func TestSegmentIndirectWaits(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	for range 30 {
		n := 1 + r.IntN(150)
		s := &segment{}
		reached := make([][]bool, n)
		for i := range n {
			w := &planned{}
			reached[i] = make([]bool, n)
			for range r.IntN(3) {
				if i > 0 {
					w.WaitsFor = append(w.WaitsFor, r.IntN(i))
				}
			}
			for _, k := range w.WaitsFor {
				reached[i][k] = true
				for m := range k {
					reached[i][m] = reached[i][m] || reached[k][m]
				}
			}
			if got := s.add(w); got != i {
				t.Fatalf("item %d is number %d", i, got)
			}
		}
		for i := range n {
			var list, without, pruned []int
			for k := range n {
				if got := s.waits(i, k); got != reached[i][k] {
					t.Fatalf("%d waits for %d: %t", i, k, got)
				}
				if r.IntN(3) == 0 {
					list = append(list, k)
				}
			}
			for _, k := range list {
				if !reached[i][k] {
					without = append(without, k)
				}
				if !slices.ContainsFunc(list, func(o int) bool { return reached[o][k] }) {
					pruned = append(pruned, k)
				}
			}
			if got := s.dropWaited(list, i); !slices.Equal(got, without) {
				t.Fatalf("%v without what %d waits for: %v, want %v", list, i, got, without)
			}
			if got := s.pruned(list); !slices.Equal(got, pruned) {
				t.Fatalf("%v without what others wait for: %v, want %v", list, got, pruned)
			}
		}
	}
}

// A segment is named by its pipelines, each once and three at most; its open queries are those that are open in all of
// its launches.
func TestNamesOfSegments(t *testing.T) {
	launch := func(name string, open ...*account.Counts) *planned {
		return &planned{row: row{name: "label/" + name, pipeline: name}, context: executor{open: open}}
	}
	mark := &planned{Queued: gpu.Queued{OnReached: func(uint64) {}}}
	p, q := &account.Counts{}, &account.Counts{}
	for _, c := range []struct {
		items []*planned
		name  string
		open  []*account.Counts
	}{
		{nil, "", nil},
		{[]*planned{launch("a", p)}, "a", []*account.Counts{p}},
		{[]*planned{mark, launch("a", p, q), mark, launch("a", q)}, "a beside its like", []*account.Counts{q}},
		{[]*planned{launch("a", p), launch("b", q)}, "a beside b", nil},
		{[]*planned{launch("a", p, q), launch("b", p, q), launch("a", q, p), launch("c", p, q)}, "a beside b beside c", []*account.Counts{p, q}},
		{[]*planned{launch("a"), launch("b"), launch("c"), launch("d"), launch("e")}, "a beside b beside c beside 2 more", nil},
	} {
		s := &segment{items: c.items}
		if got := s.name(); got != c.name {
			t.Errorf("named %q, want %q", got, c.name)
		}
		if got := s.open(); !slices.Equal(got, c.open) {
			t.Errorf("%s: %d queries are of all, want %d", c.name, len(got), len(c.open))
		}
		launches := 0
		for _, w := range c.items {
			if w.OnReached == nil {
				launches++
			}
		}
		if s.launches() != launches || len(s.names()) != launches || launches > 0 && s.names()[0] != "label/a" {
			t.Errorf("%s: %d launches named %q", c.name, s.launches(), s.names())
		}
	}
	// One launch is alone where no mark after it shows when it ends by itself.
	waiting := &planned{Queued: gpu.Queued{OnReached: func(uint64) {}, WaitsFor: []int{0}}}
	for i, c := range []struct {
		items []*planned
		alone bool
	}{{[]*planned{launch("a")}, true}, {[]*planned{mark, launch("a")}, true}, {[]*planned{launch("a"), mark}, false}, {[]*planned{launch("a"), waiting}, true}, {[]*planned{launch("a"), launch("b")}, false}} {
		if got := (&segment{items: c.items}).isSingle(); got != c.alone {
			t.Errorf("segment %d is alone: %t", i, got)
		}
	}
}

// Hazards are reported once each, and a bounded number in all.
func TestHazardsReportedOnce(t *testing.T) {
	real := os.Stderr
	defer func() { os.Stderr = real }()
	f := suite.Must(os.Create(filepath.Join(t.TempDir(), "stderr")))(t)
	os.Stderr = f
	h := &worker{hazards: once{}}
	var list []string
	for i := range mostHazards + 5 {
		list = append(list, strings.Repeat("x", i+1))
	}
	h.warn(list[:3])
	h.warn(list)
	h.warn(list)
	said := suite.Must(os.ReadFile(f.Name()))(t)
	want := ""
	for _, text := range list[:mostHazards] {
		want += "spvsim: " + text + "\n"
	}
	if want += "spvsim: more hazards are not listed\n"; string(said) != want {
		t.Errorf("the driver says\n%s\nwant\n%s", said, want)
	}
}

// Dispatches of one graph form a job if they share its scratch memory, push constants and bindings; steps of a job with
// several have numbers.
func TestCaptureOneGraphPerJob(t *testing.T) {
	graph, other := &pipeline{graph: &gpu.Graph{}}, &pipeline{graph: &gpu.Graph{}}
	image, sampler := &texture.Image{}, &texture.Sampler{}
	make1 := func() jobStep {
		g := &graphDispatch{scratch: 64}
		g.graph, g.push = graph, []byte{1, 2}
		return jobStep{name: "g", graph: g, bound: []bound{{&program.Program{}, [][]mem.Descriptor{{{Addr: 16, Bytes: make([]byte, 4), Image: image, Sampler: sampler}}}}}}
	}
	for name, change := range map[string]func(s *jobStep){
		"":             func(*jobStep) {},
		"the graph":    func(s *jobStep) { s.graph.graph = other },
		"scratch":      func(s *jobStep) { s.graph.scratch = 65 },
		"push":         func(s *jobStep) { s.graph.push = []byte{1, 3} },
		"an address":   func(s *jobStep) { s.bound[0].elements[0][0].Addr++ },
		"a size":       func(s *jobStep) { s.bound[0].elements[0][0].Bytes = make([]byte, 5) },
		"an image":     func(s *jobStep) { s.bound[0].elements[0][0].Image = &texture.Image{Width: 1} },
		"a sampler":    func(s *jobStep) { s.bound[0].elements[0][0].Sampler = &texture.Sampler{Bias: 1} },
		"descriptors":  func(s *jobStep) { s.bound[0].elements[0] = nil },
		"bindings":     func(s *jobStep) { s.bound[0].elements = nil },
		"all programs": func(s *jobStep) { s.bound = nil },
	} {
		second := make1()
		change(&second)
		c := &capture{steps: []jobStep{make1(), {name: "d"}, second}}
		err := c.oneGraph()
		if (err == nil) != (name == "") {
			t.Errorf("%q differs: %v", name, err)
		}
		if name == "" && (c.steps[0].name != "000 g" || c.steps[1].name != "001 d" || c.steps[2].name != "002 g") {
			t.Errorf("steps are %q, %q and %q", c.steps[0].name, c.steps[1].name, c.steps[2].name)
		}
		if name == "" {
			result := &gpu.Result{Stats: &tracing.Stats{Steps: []account.StepCounts{{Name: "002 g", Counts: account.Counts{Cycles: 7}}, {Name: "000 g", Counts: account.Counts{Cycles: 5}}, {Name: "else"}}}}
			if got := c.counts(result); got.steps[0].Cycles != 5 || got.steps[1].Cycles != 0 || got.steps[2].Cycles != 7 {
				t.Errorf("steps took %d, %d and %d cycles", got.steps[0].Cycles, got.steps[1].Cycles, got.steps[2].Cycles)
			}
		}
	}
	one := &capture{steps: []jobStep{make1()}}
	if err := one.oneGraph(); err != nil || one.steps[0].name != "g" {
		t.Errorf("one step: %q, %v", one.steps[0].name, err)
	}
}

// Captured data is stored once per content; adjacent memory blocks, or blocks a guard apart, are merged.
func TestBlocksOfCaptures(t *testing.T) {
	g := newTransferRig(t, 34)
	c := &capturer{folder: t.TempDir()}
	a, err1 := c.storeData([]byte("one"), ".bin")
	b, err2 := c.storeData([]byte("one"), ".bin")
	d, err3 := c.storeData([]byte("two"), ".bin")
	files, _ := os.ReadDir(c.folder)
	if a != b || a == d || err1 != nil || err2 != nil || err3 != nil || len(files) != 2 {
		t.Errorf("%s, %s and %s of %d files", a, b, d, len(files))
	}
	suite.OK(t, os.WriteFile(filepath.Join(c.folder, a), []byte("cut off"), 0o666))
	suite.Must(c.storeData([]byte("one"), ".bin"))(t)
	if data, _ := os.ReadFile(filepath.Join(c.folder, a)); string(data) != "one" {
		t.Errorf("what was cut off is %q", data)
	}
	_, whole := g.bytes(4096)
	m := mustLookUp[*memory](uint64(g.memory(8192)))
	part := func(from, to int) mem.Descriptor {
		return mem.Descriptor{Addr: m.addr + uint64(from), Bytes: m.bytes[from:to]}
	}
	cap := &capture{capturer: c, device: g.d, steps: []jobStep{{moves: []rowCopy{{to: part(0, 100), from: part(4000, 5000)}, {to: part(50, 200)}}}, {bound: []bound{{&program.Program{}, [][]mem.Descriptor{{part(150, 300)}}}}}}}
	cap.findBlocks()
	for i, b := range cap.blocks {
		t.Logf("block %d at %d, %d bytes", i, b.addr-m.addr, len(b.bytes))
		if !b.contains(b.addr) || !b.contains(b.addr+uint64(len(b.bytes))-1) || b.contains(b.addr+uint64(len(b.bytes))) || b.contains(b.addr-1) {
			t.Errorf("block %d holds other bytes than its own", i)
		}
	}
	covered := func(d mem.Descriptor) bool {
		return slices.ContainsFunc(cap.blocks, func(b block) bool { return b.contains(d.Addr) && b.contains(d.Addr+uint64(len(d.Bytes))-1) })
	}
	if !covered(part(0, 300)) || !covered(part(4000, 5000)) || slices.ContainsFunc(cap.blocks, func(b block) bool { return len(whole) > 0 && b.addr < m.addr }) {
		t.Errorf("%d blocks do not hold what steps name", len(cap.blocks))
	}
	for i := 1; i < len(cap.blocks); i++ {
		if last := &cap.blocks[i-1]; cap.blocks[i].addr <= last.addr+uint64(len(last.bytes))+mem.Guard {
			t.Errorf("blocks %d and %d are a guard apart", i-1, i)
		}
	}
}

// Command buffers are recorded, then submitted; commands in other states are refused. Pushed descriptors are kept until
// they are pushed again.
func TestStatesOfCommandBuffers(t *testing.T) {
	g := newTransferRig(t, 35)
	b := mustLookUp[*commandBuffer](uint64(g.buffer))
	begin := func() error { return misused(func() { BeginCommandBuffer(g.buffer, &vk.CommandBufferBeginInfo{}) }) }
	end := func() error { return misused(func() { EndCommandBuffer(g.buffer) }) }
	if end() == nil {
		t.Error("a buffer that is not recorded ends")
	}
	if begin() != nil || begin() == nil {
		t.Error("a buffer does not begin, or begins while it is recorded")
	}
	if end() != nil || end() == nil || b.state != recorded {
		t.Error("a buffer does not end, or ends twice")
	}
	b.pending = 1
	if begin() == nil {
		t.Error("a buffer begins while it is used")
	}
	b.pending = 0
	for _, flags := range []vk.CommandBufferUsageFlags{0, vk.CommandBufferUsageOneTimeSubmitBit, vk.CommandBufferUsageSimultaneousUseBit} {
		BeginCommandBuffer(g.buffer, &vk.CommandBufferBeginInfo{Flags: flags})
		if b.once != (flags == vk.CommandBufferUsageOneTimeSubmitBit) {
			t.Errorf("flags %d: used once: %t", flags, b.once)
		}
		EndCommandBuffer(g.buffer)
	}
	BeginCommandBuffer(g.buffer, &vk.CommandBufferBeginInfo{})
	b.fault = os.ErrInvalid
	if end() == nil || b.state != invalid {
		t.Error("a buffer with a command that was not allowed ends")
	}
}

// Scratch memory must lie within allocated memory, to the byte; the heap's usage is the sum of all devices; all list
// queries agree.
func TestMemoryQueries(t *testing.T) {
	g := newTransferRig(t, 36)
	m := mustLookUp[*memory](uint64(g.memory(1000)))
	for _, c := range []struct {
		at, size uint64
		ok       bool
	}{{m.addr, 1000, true}, {m.addr, 1001, false}, {m.addr + 999, 1, true}, {m.addr + 1000, 1, false}, {m.addr + 400, 600, true}, {m.addr + 400, 601, false}, {0, 0, true}, {0, 1, false}, {m.addr + 1, ^uint64(0), false}} {
		if err := misused(func() { g.d.checkScratch(c.at, c.size) }); (err == nil) != c.ok {
			t.Errorf("%d bytes at %d: %v", c.size, int64(c.at-m.addr), err)
		}
	}
	budget := vk.PhysicalDeviceMemoryBudgetPropertiesEXT{SType: vk.StructureTypePhysicalDeviceMemoryBudgetPropertiesExt}
	all := vk.PhysicalDeviceMemoryProperties2{PNext: unsafe.Pointer(&budget)}
	GetPhysicalDeviceMemoryProperties2(vk.PhysicalDevice(g.d.physical.handle), &all)
	if size := uint64(g.d.physical.machine.Memory.Bytes); budget.HeapUsage[0] != 1000 || budget.HeapBudget[0] != size || all.MemoryProperties.MemoryHeaps[0].Size != size {
		t.Errorf("%d of %d bytes are used, the heap has %d", budget.HeapUsage[0], budget.HeapBudget[0], all.MemoryProperties.MemoryHeaps[0].Size)
	}
	family := vk.QueueFamilyGlobalPriorityProperties{SType: vk.StructureTypeQueueFamilyGlobalPriorityProperties}
	tellPriorities(&vk.QueueFamilyProperties2{PNext: unsafe.Pointer(&family)})
	if family.PriorityCount != uint32(len(globalPriorities)) {
		t.Errorf("%d global priorities", family.PriorityCount)
	}
	for _, p := range family.Priorities[:family.PriorityCount] {
		if globalPriorities[p] == "" {
			t.Errorf("priority %d is none", p)
		}
	}
	for _, c := range []struct {
		priority float32
		global   vk.QueueGlobalPriority
		want     string
	}{{0, 0, "low"}, {0.49, 0, "low"}, {0.5, 0, "medium"}, {1, 0, "medium"}, {0, vk.QueueGlobalPriorityHigh, "high"}, {1, vk.QueueGlobalPriorityLow, "low"}, {1, vk.QueueGlobalPriorityRealtime, "realtime"}} {
		q := vk.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &c.priority}
		global := vk.DeviceQueueGlobalPriorityCreateInfo{SType: vk.StructureTypeDeviceQueueGlobalPriorityCreateInfo, GlobalPriority: c.global}
		if c.global != 0 {
			q.PNext = unsafe.Pointer(&global)
		}
		if got := priorityOf(&q, 0); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	counters := g.d.physical.counters()
	for n := range uint32(len(counters) + 2) {
		count, list := n, make([]vk.PerformanceCounterKHR, len(counters)+2)
		r := EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(vk.PhysicalDevice(g.d.physical.handle), 0, &count, &list[0], nil)
		filled := 0
		for i := range list {
			if list[i].Uuid != [16]byte{} {
				filled++
			}
		}
		if want := min(int(n), len(counters)); int(count) != want || filled != want || (r == vk.Incomplete) != (want < len(counters)) {
			t.Errorf("%d asked for: %d, %d filled, result %d", n, count, filled, r)
		}
	}
}

// The reported matrix shapes are those of the machine's unit with component types of the API; those of bytes exist for
// each sign, with wrapping and saturating accumulation.
func TestProductsOfMatrices(t *testing.T) {
	for _, name := range []string{"rdna3-rx7900xtx", "cdna3-mi300a"} {
		m := suite.Must(config.LoadMachine(config.Request{Machine: name}))(t)
		bytes, floats := map[[5]uint32]bool{}, 0
		for _, p := range matrixProperties(m) {
			if narrow := p.AType == vk.ComponentTypeSint8Khr || p.AType == vk.ComponentTypeUint8Khr; narrow {
				bytes[[5]uint32{uint32(p.AType), uint32(p.BType), uint32(p.CType), uint32(p.SaturatingAccumulation), p.KSize}] = true
			} else if floats++; p.SaturatingAccumulation != 0 {
				t.Errorf("%s: floats that saturate", name)
			}
			if p.ResultType != p.CType || p.Scope != vk.ScopeSubgroupKhr || p.MSize != p.NSize || p.KSize == 0 {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if len(bytes) == 0 || len(bytes)%16 != 0 || floats == 0 {
			t.Errorf("%s: %d products of bytes, %d of floats", name, len(bytes), floats)
		}
	}
}

// Images are made within the limits of their form and no larger.
func TestLimitsOfImages(t *testing.T) {
	g := newTransferRig(t, 37)
	good := vk.ImageCreateInfo{ImageType: vk.ImageType2d, Format: vk.FormatR8g8b8a8Unorm, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1, Usage: vk.ImageUsageSampledBit}
	var limits vk.ImageFormatProperties
	g.d.physical.imageFormat(good.Format, good.ImageType, good.Tiling, good.Usage, 0, &limits)
	for i, c := range []struct {
		change func(i *vk.ImageCreateInfo)
		ok     bool
	}{
		{func(*vk.ImageCreateInfo) {}, true},
		{func(i *vk.ImageCreateInfo) { i.Extent.Width = limits.MaxExtent.Width }, true}, {func(i *vk.ImageCreateInfo) { i.Extent.Width = limits.MaxExtent.Width + 1 }, false},
		{func(i *vk.ImageCreateInfo) { i.Extent.Height = limits.MaxExtent.Height + 1 }, false}, {func(i *vk.ImageCreateInfo) { i.Extent.Depth = 2 }, false},
		{func(i *vk.ImageCreateInfo) { i.Extent.Width = 0 }, false}, {func(i *vk.ImageCreateInfo) { i.Extent.Height = 0 }, false}, {func(i *vk.ImageCreateInfo) { i.Extent.Depth = 0 }, false},
		{func(i *vk.ImageCreateInfo) { i.ArrayLayers = limits.MaxArrayLayers }, true}, {func(i *vk.ImageCreateInfo) { i.ArrayLayers = limits.MaxArrayLayers + 1 }, false}, {func(i *vk.ImageCreateInfo) { i.ArrayLayers = 0 }, false},
		{func(i *vk.ImageCreateInfo) { i.MipLevels = limits.MaxMipLevels }, true}, {func(i *vk.ImageCreateInfo) { i.MipLevels = limits.MaxMipLevels + 1 }, false},
		{func(i *vk.ImageCreateInfo) { i.Samples = 4 }, true}, {func(i *vk.ImageCreateInfo) { i.Samples = 5 }, false}, {func(i *vk.ImageCreateInfo) { i.Samples, i.MipLevels = 4, 2 }, false}, {func(i *vk.ImageCreateInfo) { i.Samples = 128 }, false},
		{func(i *vk.ImageCreateInfo) { i.Flags = vk.ImageCreateCubeCompatibleBit }, true}, {func(i *vk.ImageCreateInfo) { i.Flags = vk.ImageCreate2dArrayCompatibleBit }, false},
		{func(i *vk.ImageCreateInfo) { i.ImageType, i.Extent.Height = vk.ImageType1d, 1 }, true}, {func(i *vk.ImageCreateInfo) { i.ImageType = vk.ImageType1d }, false},
		{func(i *vk.ImageCreateInfo) { i.ImageType, i.Extent.Depth = vk.ImageType3d, 8 }, true}, {func(i *vk.ImageCreateInfo) { i.ImageType, i.ArrayLayers = vk.ImageType3d, 2 }, false},
		{func(i *vk.ImageCreateInfo) { i.ImageType, i.Flags = vk.ImageType3d, vk.ImageCreateCubeCompatibleBit }, false}, {func(i *vk.ImageCreateInfo) { i.ImageType, i.Flags = vk.ImageType3d, vk.ImageCreate2dArrayCompatibleBit }, true},
		{func(i *vk.ImageCreateInfo) { i.Samples, i.Flags = 4, vk.ImageCreateCubeCompatibleBit }, false},
		{func(i *vk.ImageCreateInfo) { i.Format, i.Usage = vk.FormatR8g8b8a8Srgb, vk.ImageUsageStorageBit }, false},
		{func(i *vk.ImageCreateInfo) { i.Usage = vk.ImageUsageStorageBit }, true}, {func(i *vk.ImageCreateInfo) { i.Format = 9999 }, false},
	} {
		info := good
		c.change(&info)
		var out vk.Image
		r := vk.Success
		err := misused(func() { r = CreateImage(vk.Device(g.d.handle), &info, nil, &out) })
		if (err == nil && r == vk.Success) != c.ok {
			t.Errorf("image %d, %+v: %v, result %d", i, info, err, r)
		}
	}
}

// Values of specialization constants are of up to 8 bytes within the data.
func TestValuesOfConstants(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for size := range uint64(10) {
		for at := range uint32(12) {
			e := vk.SpecializationMapEntry{ConstantID: 3, Offset: at, Size: size}
			info := vk.SpecializationInfo{MapEntryCount: 1, PMapEntries: &e, DataSize: uint64(len(data)), PData: unsafe.Pointer(&data[0])}
			var got map[uint32]uint64
			err := misused(func() { got = specialization(&info) })
			if ok := size <= 8 && uint64(at)+size <= 10; (err == nil) != ok {
				t.Fatalf("%d bytes at %d of 10: %v", size, at, err)
			} else if !ok {
				continue
			}
			want := uint64(0)
			for i := range size {
				want |= uint64(data[uint64(at)+i]) << (8 * i)
			}
			if len(got) != 1 || got[3] != want {
				t.Fatalf("%d bytes at %d: %v, want %#x", size, at, got, want)
			}
		}
	}
	if specialization(nil) != nil {
		t.Error("no constants have values")
	}
}
