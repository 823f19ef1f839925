package driver

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/mem/texture"
	"spvsim/vulkan/formats"
	"spvsim/vulkan/vk"
)

// The data of a pipeline cache round-trips if the buffer is large enough, and else holds the programs that fit whole;
// damaged data, or data of another device, ends the reading.
func TestDataOfPipelineCaches(t *testing.T) {
	d := open(t)
	h := vk.Device(d.handle)
	var handle vk.PipelineCache
	CreatePipelineCache(h, &vk.PipelineCacheCreateInfo{}, nil, &handle)
	c := mustLookUp[*pipelineCache](uint64(handle))
	programs := [][]byte{[]byte("one"), []byte("another, longer"), []byte("x")}
	for i, p := range programs {
		c.add(programKey{byte(i)}, p)
		c.add(programKey{byte(i)}, []byte("again")) // is there already
	}
	var all uint64
	GetPipelineCacheData(h, handle, &all, nil)
	data := make([]byte, all)
	size := all
	if r := GetPipelineCacheData(h, handle, &size, unsafe.Pointer(&data[0])); r != vk.Success || size != all || all != c.bytes() {
		t.Fatalf("%d of %d bytes, result %d", size, all, r)
	}
	read := func(data []byte) (list [][]byte) {
		from := &pipelineCache{device: d, programs: map[programKey][]byte{}}
		from.read(data)
		for _, k := range from.order {
			list = append(list, from.programs[k])
		}
		return list
	}
	ends := []int{cacheHeaderBytes} // of whole programs
	for _, p := range programs {
		ends = append(ends, ends[len(ends)-1]+entryHeadBytes+len(p))
	}
	for n := range len(data) + 1 {
		whole := -1
		for _, end := range ends {
			if end <= n {
				whole++
			}
		}
		if got := read(data[:n]); len(got) != max(whole, 0) {
			t.Errorf("of the first %d bytes: %d programs, want %d", n, len(got), max(whole, 0))
		}
		size := uint64(n)
		part := make([]byte, n+1)
		r := GetPipelineCacheData(h, handle, &size, unsafe.Pointer(&part[0]))
		want := 0
		if whole >= 0 {
			want = ends[whole]
		}
		if int(size) != want || (r == vk.Success) != (n == len(data)) || !bytes.Equal(part[:want], data[:want]) || part[n] != 0 {
			t.Errorf("with space for %d bytes: %d, result %d, want %d", n, size, r, want)
		}
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x80
		got := read(bad)
		for k, p := range got {
			if !bytes.Equal(p, programs[k]) {
				t.Errorf("damaged at byte %d: program %d is %q", i, k, p)
			}
		}
		if i < cacheHeaderBytes && len(got) > 0 {
			t.Errorf("of another device, damaged at byte %d: %d programs", i, len(got))
		}
	}
}

// The features of a format follow from its texels: integers are not filtered, depth formats are only sampled, and
// atomics need one component of 4 or 8 bytes. All queries report the same.
func TestFeaturesOfFormats(t *testing.T) {
	d := open(t)
	h := vk.PhysicalDevice(d.physical.handle)
	atomic := map[vk.Format]bool{vk.FormatR32Uint: true, vk.FormatR32Sint: true, vk.FormatR32Sfloat: true, vk.FormatR64Uint: true, vk.FormatR64Sint: true}
	if none, buffers := formatFeatures(vk.Format(9999)); none != 0 || buffers != 0 {
		t.Error("a format that there is not can do something")
	}
	for f, name := range formats.Texels {
		format, _ := texture.FormatByName(name)
		has := func(of, bit vk.FormatFeatureFlags) bool { return of&bit != 0 }
		images, buffers := formatFeatures(f)
		depth, whole := isDepth(f), strings.HasSuffix(name, "i")
		stored := format.Stored() && !depth
		if !has(images, vk.FormatFeatureSampledImageBit) || !has(images, vk.FormatFeatureTransferSrcBit) || !has(images, vk.FormatFeatureTransferDstBit) ||
			has(images, vk.FormatFeatureSampledImageFilterLinearBit) == whole || has(images, vk.FormatFeatureStorageImageBit) != stored ||
			has(buffers, vk.FormatFeatureStorageTexelBufferBit) != stored || has(buffers, vk.FormatFeatureUniformTexelBufferBit) == depth ||
			has(images, vk.FormatFeatureStorageImageAtomicBit) != (atomic[f] && !depth) || has(buffers, vk.FormatFeatureStorageTexelBufferAtomicBit) != (atomic[f] && !depth) {
			t.Errorf("format %d, %s: images %#x, buffers %#x", f, name, images, buffers)
		}
		var one vk.FormatProperties
		three := vk.FormatProperties3{SType: vk.StructureTypeFormatProperties3}
		two := vk.FormatProperties2{PNext: unsafe.Pointer(&three)}
		GetPhysicalDeviceFormatProperties(h, f, &one)
		GetPhysicalDeviceFormatProperties2(h, f, &two)
		if one != two.FormatProperties || one.OptimalTilingFeatures != images || one.LinearTilingFeatures != images || one.BufferFeatures != buffers {
			t.Errorf("format %d: %+v and %+v, want %#x and %#x", f, one, two.FormatProperties, images, buffers)
		}
		const more = vk.Flags64(vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit)
		want, of := vk.Flags64(images), vk.Flags64(buffers)
		if stored {
			want, of = want|more, of|more
		}
		if depth {
			want |= vk.FormatFeature2SampledImageDepthComparisonBit
		}
		if vk.Flags64(three.OptimalTilingFeatures) != want || vk.Flags64(three.LinearTilingFeatures) != want || vk.Flags64(three.BufferFeatures) != of {
			t.Errorf("format %d: %+v, want %#x and %#x", f, three, want, of)
		}
	}
}

// A label covers the commands between its begin and end; an end without a begin changes nothing.
func TestLabelsNest(t *testing.T) {
	g := newTransferRig(t, 25)
	name := []byte("label\x00")
	BeginCommandBuffer(g.buffer, &vk.CommandBufferBeginInfo{})
	var seen [][]string
	look := func() {
		mustLookUp[*commandBuffer](uint64(g.buffer)).add(func(x *executor) error {
			seen = append(seen, append([]string(nil), x.labels...))
			return nil
		})
	}
	for range 2 {
		CmdBeginDebugUtilsLabelEXT(g.buffer, &vk.DebugUtilsLabelEXT{PLabelName: &name[0]})
		look()
	}
	for range 3 {
		CmdEndDebugUtilsLabelEXT(g.buffer)
		look()
	}
	suite.OK(t, (&executor{device: g.d}).run(mustLookUp[*commandBuffer](uint64(g.buffer)).commands))
	for i, want := range []int{1, 2, 1, 0, 0} {
		if len(seen[i]) != want || want > 0 && seen[i][0] != "label" {
			t.Errorf("after %d of the commands: %q, want %d labels", i+1, seen[i], want)
		}
	}
}

// A pool of performance counters returns the counters that it was created for, in their order, and refuses others.
func TestPoolsOfCounters(t *testing.T) {
	d := open(t)
	all := d.physical.counters()
	indices := []uint32{uint32(len(all) - 1), 0, 2}
	p := d.counted(&vk.QueryPoolPerformanceCreateInfoKHR{CounterIndexCount: 3, PCounterIndices: &indices[0]}, 4)
	if len(p.values) != 4 || len(p.available) != 4 || len(p.sums) != 4 || len(p.counters) != 3 {
		t.Fatalf("%d values, %d sums, %d counters", len(p.values), len(p.sums), len(p.counters))
	}
	counts := account.Counts{Cycles: 12345, Waves: 3, Workgroups: 7}
	for i, c := range p.counters {
		if got, want := c.value(&counts), all[indices[i]].value(&counts); got != want {
			t.Errorf("counter %d gives %d, want %d", i, got, want)
		}
	}
	indices[1] = uint32(len(all))
	if misused(func() {
		d.counted(&vk.QueryPoolPerformanceCreateInfoKHR{CounterIndexCount: 3, PCounterIndices: &indices[0]}, 4)
	}) == nil {
		t.Error("a counter that there is not is counted")
	}
	var passes uint32
	if GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(vk.PhysicalDevice(d.physical.handle), nil, &passes); passes != 1 {
		t.Errorf("%d passes", passes)
	}
}
