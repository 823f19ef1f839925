package driver

import (
	"reflect"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/vulkan/vk"
)

// A device reports a dot product as accelerated if the machine executes it as one instruction.
func TestAcceleratedDots(t *testing.T) {
	const bytes, mixed, halves = "bytes ", "mixed ", "halves "
	for machine, want := range map[string]string{
		"gcn3-r9nano": "", "cdna3-mi300a": bytes + halves, "rdna2-rx6800xt": bytes + halves, "rdna3-rx7900xtx": bytes + mixed, "rdna4-like": bytes + mixed,
	} {
		m := suite.Must(config.LoadMachine(config.Request{Machine: machine}))(t)
		var p vk.PhysicalDeviceShaderIntegerDotProductProperties
		values := typeOf[vk.PhysicalDeviceShaderIntegerDotProductProperties]()
		known := map[string]bool{}
		for i := range values.NumField() {
			known[values.Field(i).Name] = true
		}
		list := acceleratedDots(m)
		for _, name := range list {
			if !known[name] {
				t.Errorf("%s: property %s is in no structure", machine, name)
			}
		}
		fill(reflect.ValueOf(&p).Elem(), propertiesOf(m, [16]byte{}))
		got := ""
		for _, c := range []struct {
			name string
			all  []vk.Bool32
		}{
			{bytes, []vk.Bool32{
				p.IntegerDotProduct4x8BitPackedSignedAccelerated, p.IntegerDotProduct4x8BitPackedUnsignedAccelerated, p.IntegerDotProduct8BitSignedAccelerated,
				p.IntegerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated, p.IntegerDotProductAccumulatingSaturating8BitUnsignedAccelerated,
			}},
			{mixed, []vk.Bool32{
				p.IntegerDotProduct4x8BitPackedMixedSignednessAccelerated, p.IntegerDotProduct8BitMixedSignednessAccelerated,
				p.IntegerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated,
			}},
			{halves, []vk.Bool32{
				p.IntegerDotProduct16BitSignedAccelerated, p.IntegerDotProduct16BitUnsignedAccelerated, p.IntegerDotProductAccumulatingSaturating16BitSignedAccelerated,
			}},
			{"words ", []vk.Bool32{p.IntegerDotProduct32BitSignedAccelerated, p.IntegerDotProduct64BitUnsignedAccelerated, p.IntegerDotProduct16BitMixedSignednessAccelerated}},
		} {
			n := vk.Bool32(0)
			for _, b := range c.all {
				n += b
			}
			if n != 0 && n != vk.Bool32(len(c.all)) {
				t.Errorf("%s: some of the properties of %sare set: %v", machine, c.name, c.all)
			}
			got += strings.Repeat(c.name, int(min(n, 1)))
		}
		if got != want {
			t.Errorf("%s: %q, want %q; it has %v", machine, got, want, list)
		}
	}
}

// Only a device whose machine has a matrix unit offers products of matrices.
func TestMatrixFeature(t *testing.T) {
	for machine, want := range map[string]bool{"gcn3-r9nano": false, "cdna3-mi300a": true, "rdna2-rx6800xt": false, "rdna3-rx7900xtx": true, "rdna4-like": true} {
		m := suite.Must(config.LoadMachine(config.Request{Machine: machine}))(t)
		p := &physical{machine: m, spoofing: spoofingSets[""]}
		if got := p.has(&extension{name: matrixExtension}); got != want || p.hasFeature("cooperativeMatrix") != want || (len(matrixProperties(m)) > 0) != want {
			t.Errorf("%s: offered %v, %d products; want %v", machine, got, len(matrixProperties(m)), want)
		}
	}
}
