package measure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/spirv"
	"spvsim/spirv/validate"
	"spvsim/vulkan/device"
)

// Lacking lists what a job needs and a device does not have, each once, before anything runs.
func Lacking(p *device.Physical, h *gpu.HardwareJob) (list []string, err error) {
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	addresses := func(where string, list []config.AddressFixup) {
		if len(list) > 0 && !p.Addresses() {
			add("addresses of buffers (%s; the feature bufferDeviceAddress)", where)
		}
	}
	for i := range h.Buffers {
		addresses(h.Buffers[i].Name, h.Buffers[i].Addresses)
	}
	checked := map[*gpu.HardwareShader]bool{}
	err = h.EachLaunch(func(l *gpu.HardwareLaunch) error {
		addresses(l.Name, l.Push.Addresses)
		s := l.Shader
		if s == nil {
			return nil
		}
		for i, most := range p.MaxGroups() {
			if l.Dispatch[i] > most {
				add("%d workgroups in dimension %d (%s; the device takes %d)", l.Dispatch[i], i, l.Name, most)
			}
		}
		if checked[s] {
			return nil
		}
		checked[s] = true
		for _, text := range p.Missing(needOf(s.Module)) {
			add("%s (%s)", text, s.File)
		}
		for _, text := range p.Exceeds(&device.Workgroup{Size: s.Program.LocalSize, SharedBytes: s.Program.LDSBytes, PushBytes: uint32(len(l.Push.Bytes))}) {
			add("%s (%s)", text, s.File)
		}
		if n := subgroupSize(p, s); n != 0 && (n < p.SubgroupRange[0] || n > p.SubgroupRange[1]) {
			add("subgroups of %d invocations (%s; the device has %s)", n, s.File, subgroups(p))
		}
		for _, x := range s.Matrices {
			if shape := shapeOf(&x); !p.Multiplies(shape) {
				add("multiply-adds of cooperative matrices %s (%s)", shape, s.File)
			}
		}
		return nil
	})
	return list, err
}

// subgroupSize is the subgroup size that a pipeline asks for; 0: the device's own is right.
func subgroupSize(p *device.Physical, s *gpu.HardwareShader) uint32 {
	size := uint32(s.SubgroupSize)
	switch {
	case size == 0 && p.SubgroupSize < uint32(s.MinSubgroup):
		return uint32(s.MinSubgroup)
	case size == p.SubgroupSize:
		return 0
	}
	return size
}

func subgroups(p *device.Physical) string {
	if p.SubgroupRange[0] == p.SubgroupRange[1] {
		return fmt.Sprint(p.SubgroupSize)
	}
	return fmt.Sprintf("%d to %d", p.SubgroupRange[0], p.SubgroupRange[1])
}

// needOf is what a module declares.
func needOf(m *validate.Module) *device.Need {
	n := &device.Need{Version: m.Raw.Version, Extensions: slices.Sorted(maps.Keys(m.Extensions))}
	for _, c := range slices.Sorted(maps.Keys(m.Capabilities)) {
		n.Capabilities = append(n.Capabilities, c.String())
	}
	return n
}

func shapeOf(x *gpu.HardwareMatrix) device.MatrixShape {
	return device.MatrixShape{M: uint32(x.M), N: uint32(x.N), K: uint32(x.K), Scope: uint32(x.Scope), A: component(x.A), B: component(x.B), C: component(x.C)}
}

// component names the components of a matrix as device.MatrixShape does.
func component(t *validate.Type) string {
	switch {
	case t.Encoded && t.Encoding == spirv.FPEncodingBFloat16KHR:
		return "bf16"
	case t.Kind == validate.KindFloat:
		return fmt.Sprintf("f%d", t.Width)
	}
	return fmt.Sprintf("%s%d", cmp.Or(map[bool]string{true: "s"}[t.Signed], "u"), t.Width)
}
