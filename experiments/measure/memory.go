package measure

import (
	"encoding/binary"
	"fmt"

	"spvsim/gpu"
	"spvsim/vulkan/device"
)

// memory is the job's buffers and images on a device.
type memory struct {
	d       *device.Device
	job     *gpu.HardwareJob
	buffers []part
	images  []*device.Image // by buffer; nil: none
}

// A part is a buffer of the job: memory, or a part of another one's.
type part struct {
	*device.Buffer
	offset, bytes uint64
}

func newMemory(d *device.Device, h *gpu.HardwareJob) (*memory, error) {
	m := &memory{d: d, job: h, images: make([]*device.Image, len(h.Buffers))}
	total := uint64(0)
	for i := range h.Buffers {
		if b := &h.Buffers[i]; b.Parent < 0 {
			total += uint64(len(b.Bytes))
		}
	}
	if most := d.MemoryBytes(); total > most {
		return nil, fmt.Errorf("%w: the job has %d bytes of buffers: want at most %d, the device's memory", device.ErrMemory, total, most)
	}
	for i := range h.Buffers {
		if err := m.add(i); err != nil {
			return nil, fmt.Errorf("%s: %w", h.Buffers[i].Name, err)
		}
	}
	for i := range h.Buffers {
		for _, a := range h.Buffers[i].Addresses {
			at, err := m.address(a.Buffer)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", h.Buffers[i].Name, err)
			}
			binary.LittleEndian.PutUint64(h.Buffers[i].Bytes[a.At:], at+a.Plus)
		}
	}
	return m, nil
}

func (m *memory) add(i int) error {
	b := &m.job.Buffers[i]
	if b.Parent >= 0 {
		whole := m.buffers[b.Parent]
		m.buffers = append(m.buffers, part{whole.Buffer, whole.offset + b.Offset, uint64(len(b.Bytes))})
		return nil
	}
	made, err := m.d.NewBuffer(uint64(len(b.Bytes)))
	if err != nil {
		return err
	}
	m.buffers = append(m.buffers, part{made, 0, uint64(len(b.Bytes))})
	if b.Image == nil || b.Texels {
		return nil
	}
	t := b.Image
	shape := device.Shape{
		Format: t.Format.Name, TexelBytes: t.Format.Bytes, Dimensions: max(b.Dimensions, 1),
		Width: t.Width, Height: t.Height, Depth: t.Depth, Layers: t.Layers, Levels: max(t.Levels, 1),
	}
	if b.Dimensions == 0 {
		shape.Dimensions = 2 // no shader uses it
	}
	m.images[i], err = m.d.NewImage(shape, made)
	return err
}

// address is the device address of the buffer of a name.
func (m *memory) address(name string) (uint64, error) {
	b := m.buffers[m.job.Find(name)]
	if b.Address == 0 {
		return 0, fmt.Errorf("found the address of %s: want none: %s has no addresses of buffers (bufferDeviceAddress)", name, m.d.Name)
	}
	return b.Address + b.offset, nil
}

// fill gives all buffers and images their first contents.
func (m *memory) fill() error {
	for i := range m.job.Buffers {
		if b := &m.job.Buffers[i]; b.Parent < 0 {
			if err := m.d.Upload(m.buffers[i].Buffer, b.Bytes); err != nil {
				return err
			}
		}
	}
	return m.eachImage(func(c *device.Commands, image *device.Image) { c.LoadImage(image) })
}

func (m *memory) eachImage(do func(*device.Commands, *device.Image)) error {
	return m.d.Do(func(c *device.Commands) error {
		for _, image := range m.images {
			if image != nil {
				do(c, image)
			}
		}
		return nil
	})
}

// read returns the bytes of all buffers of the job.
func (m *memory) read() ([][]byte, error) {
	if err := m.eachImage(func(c *device.Commands, image *device.Image) { c.StoreImage(image) }); err != nil {
		return nil, err
	}
	list := make([][]byte, len(m.buffers))
	for i := range m.buffers {
		b := &m.job.Buffers[i]
		if b.Parent >= 0 {
			at := m.buffers[i].offset - m.buffers[b.Parent].offset
			list[i] = list[b.Parent][at:][:len(b.Bytes)]
			continue
		}
		var err error
		if list[i], err = m.d.Download(m.buffers[i].Buffer, uint64(len(b.Bytes))); err != nil {
			return nil, err
		}
	}
	return list, nil
}
