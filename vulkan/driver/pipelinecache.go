package driver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"spvsim/gpu"
	"spvsim/program"
	"spvsim/vulkan/vk"
)

// A pipelineCache holds the lowered programs of its initial data and of the pipelines created with it.
type pipelineCache struct {
	device   *logicalDevice
	programs map[programKey][]byte
	order    []programKey
}

func (c *pipelineCache) add(k programKey, data []byte) {
	if c != nil && c.programs[k] == nil {
		c.programs[k] = data
		c.order = append(c.order, k)
	}
}

func (c *pipelineCache) lookup(k programKey) []byte {
	if c == nil {
		return nil
	}
	return c.programs[k]
}

// keyOf is the key of a program. A module is known by its digest.
func (d *logicalDevice) keyOf(module [sha256.Size]byte, s *gpu.KernelSetup) programKey {
	size := cmp.Or(s.WaveSize, d.physical.machine.WaveSize)
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%x\n%q\n", buildID(), d.physical.target(size), module, s.Entry)
	for _, id := range slices.Sorted(maps.Keys(s.Specialization)) {
		fmt.Fprintf(h, "%d=%d\n", id, s.Specialization[id])
	}
	return programKey(h.Sum(nil))
}

// target returns the key of the machine's parameters that lowering depends on.
func (p *physical) target(waveSize int) string {
	if p.targets[waveSize] == "" {
		if p.targets == nil {
			p.targets = map[int]string{}
		}
		p.targets[waveSize] = gpu.TargetKey(p.machine, waveSize)
	}
	return p.targets[waveSize]
}

// restoredProgram returns a program of the application's cache or, if between is set, of the store between runs; nil:
// neither has it.
func (d *logicalDevice) restoredProgram(k programKey, c *pipelineCache, between bool) *program.Program {
	data := c.lookup(k)
	if data == nil && between {
		data = d.store.lookup(k)
	}
	if data == nil {
		return nil
	}
	prog, err := program.Restore(data)
	if err != nil {
		return nil
	}
	c.add(k, data)
	return prog
}

// restored returns the kernel of a cached program, or nil.
func (d *logicalDevice) restored(k programKey, c *pipelineCache, between bool) *gpu.Kernel {
	prog := d.restoredProgram(k, c, between)
	if prog == nil {
		return nil
	}
	kernel, err := d.gpu.KernelOf(prog)
	if err != nil {
		return nil
	}
	return kernel
}

// storeProgram stores a new program for later pipelines: in the application's cache, and between runs.
func (d *logicalDevice) storeProgram(k programKey, c *pipelineCache, p *program.Program) {
	between := d.store != nil && d.kernels[k] == nil
	if !between && (c == nil || c.lookup(k) != nil) {
		return
	}
	data := p.Save()
	c.add(k, data)
	if between {
		d.store.save(k, data)
	}
}

// CreatePipelineCache is vkCreatePipelineCache. Data that is damaged, or of another device or build, is ignored.
func CreatePipelineCache(h vk.Device, info *vk.PipelineCacheCreateInfo, _ *vk.AllocationCallbacks, out *vk.PipelineCache) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	c := &pipelineCache{device: d, programs: map[programKey][]byte{}}
	if info.InitialDataSize > 0 && info.PInitialData != nil {
		c.read(unsafe.Slice((*byte)(info.PInitialData), info.InitialDataSize))
	}
	*out = vk.PipelineCache(addObject(c, d.handle))
	return vk.Success
}

// cacheHeaderBytes is the size of VkPipelineCacheHeaderVersionOne.
const cacheHeaderBytes = 32

// header is VkPipelineCacheHeaderVersionOne.
func (c *pipelineCache) header() []byte {
	b := make([]byte, cacheHeaderBytes)
	for i, v := range []uint32{cacheHeaderBytes, 1, vendorID, 0} {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	copy(b[16:], c.device.physical.cacheUUID[:])
	return b
}

// An entry of the data is a key, the digest of the program, its length, and the program.
const entryHeadBytes = 2*sha256.Size + 4

func (c *pipelineCache) read(data []byte) {
	data, ok := bytes.CutPrefix(data, c.header())
	if !ok {
		return
	}
	for len(data) >= entryHeadBytes {
		size := uint64(binary.LittleEndian.Uint32(data[2*sha256.Size:]))
		if size > uint64(len(data)-entryHeadBytes) {
			return
		}
		prog := data[entryHeadBytes:][:size]
		if sha256.Sum256(prog) != [sha256.Size]byte(data[sha256.Size:]) {
			return
		}
		c.add(programKey(data[:sha256.Size]), slices.Clone(prog))
		data = data[entryHeadBytes+size:]
	}
}

// entry is the data of one program.
func (c *pipelineCache) entry(k programKey) []byte {
	prog := c.programs[k]
	sum := sha256.Sum256(prog)
	return slices.Concat(k[:], sum[:], binary.LittleEndian.AppendUint32(nil, uint32(len(prog))), prog)
}

// GetPipelineCacheData is vkGetPipelineCacheData: the header, and as many whole programs as fit.
func GetPipelineCacheData(_ vk.Device, h vk.PipelineCache, size *uint64, data unsafe.Pointer) vk.Result {
	c := mustLookUp[*pipelineCache](uint64(h))
	all := c.header()
	for _, k := range c.order {
		e := c.entry(k)
		if data != nil && uint64(len(all)+len(e)) > *size {
			break
		}
		all = append(all, e...)
	}
	if data == nil {
		*size = uint64(len(all))
		return vk.Success
	}
	if *size < uint64(len(all)) { // the header does not fit
		*size = 0
		return vk.Incomplete
	}
	copy(unsafe.Slice((*byte)(data), *size), all)
	*size = uint64(len(all))
	if c.bytes() > uint64(len(all)) {
		return vk.Incomplete
	}
	return vk.Success
}

// bytes is the size of the data.
func (c *pipelineCache) bytes() uint64 {
	n := uint64(cacheHeaderBytes)
	for _, prog := range c.programs {
		n += entryHeadBytes + uint64(len(prog))
	}
	return n
}

func MergePipelineCaches(_ vk.Device, h vk.PipelineCache, count uint32, from *vk.PipelineCache) vk.Result {
	to := mustLookUp[*pipelineCache](uint64(h))
	for _, f := range items(from, count) {
		c := mustLookUp[*pipelineCache](uint64(f))
		for _, k := range c.order {
			to.add(k, c.programs[k])
		}
	}
	return vk.Success
}
