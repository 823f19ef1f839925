package driver

import (
	"spvsim/config"
	"spvsim/isa"
)

// dotOperations maps the infixes of the integer dot product properties, operands and then signs, to their operations:
var dotOperations = map[string]map[string][2]isa.Op{ // plain and saturating
	"8Bit":         bytesBySign,
	"4x8BitPacked": bytesBySign,
	"16Bit":        {"Signed": {isa.SDot2, isa.SDot2Sat}, "Unsigned": {isa.UDot2, isa.UDot2Sat}},
}

var bytesBySign = map[string][2]isa.Op{
	"Signed": {isa.SDot4, isa.SDot4Sat}, "Unsigned": {isa.UDot4, isa.UDot4Sat}, "MixedSignedness": {isa.SUDot4, isa.SUDot4Sat},
}

// acceleratedDots are the properties of integer dot products that are one instruction of the machine.
func acceleratedDots(m *config.Machine) (names []string) {
	for operands, signs := range dotOperations {
		for sign, ops := range signs {
			for i, prefix := range []string{"IntegerDotProduct", "IntegerDotProductAccumulatingSaturating"} {
				if oneDot(m, ops[i]) {
					names = append(names, prefix+operands+sign+"Accelerated")
				}
			}
		}
	}
	return names
}

func oneDot(m *config.Machine, op isa.Op) bool {
	steps, _, ok := m.Timing.Expand(op.String(), isa.I32.String(), m.WaveSize)
	return m.Timing.Has(isa.ClassDot.String()) && (!ok || len(steps) == 1)
}
