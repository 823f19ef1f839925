package program

import (
	"spvsim/program/frontend"
	"spvsim/program/ir"
	"spvsim/spirv/validate"
)

// An LDSView is a Workgroup block of an entry point; its members are LDSMembers.
type (
	LDSView   = ir.LDSView
	LDSMember = ir.LDSMember
)

// LDSViews lists the Workgroup blocks that an entry point uses, with
// specialization constants at their defaults, and the bytes of LDS that a
// workgroup takes.
func LDSViews(m *validate.Module, entry string) (views []LDSView, bytes uint32, err error) {
	f, err := frontend.Build(m, frontend.Options{Entry: entry, WaveSize: 64})
	if err != nil {
		return nil, 0, err
	}
	return f.LDSViews, f.LDSBytes, nil
}
