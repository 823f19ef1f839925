package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

func groupRows() map[spirv.Op]row                { return nil }
func imageRows() map[spirv.Op]row                { return nil }
func workgroupRows() map[spirv.Op]row            { return nil }
func (b *builder) extInst()                      { b.unsupported("x") }
func (b *builder) imageMem(m *ir.Mem, p pointer) {}
func (b *builder) ballotWords(m *ir.Value) []*ir.Value {
	return []*ir.Value{b.emit(isa.Lo32, isa.I32, isa.I32, m), b.emit(isa.Hi32, isa.I32, isa.I32, m), b.i32(0), b.i32(0)}
}
