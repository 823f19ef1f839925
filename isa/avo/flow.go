package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// countStep counts the step's instructions, unless none are left to the flow. Idle: lanes are idle, and counted too.
func countStep(a assembler, idle int) {
	a.TESTQ(reg.R8, reg.R8)
	a.JLE(operand.LabelRef("spent"))
	a.MOVQ(field("CompiledRun_Counts", reg.R14), reg.RSI)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.INCQ(ahead(reg.RSI, reg.RDI, 1))
	if idle != 0 {
		a.MOVQ(field("CompiledRun_idle", reg.R14), reg.RDX)
		a.ADDQ(reg.RDX, operand.Mem{Symbol: operand.Symbol{Name: "Issued_Idle"}, Base: reg.RSI, Index: reg.RDI, Scale: 1})
	}
	a.MOVL(field("rowStep_a", reg.RAX), reg.ECX)
	a.SUBQ(reg.RCX, reg.R8)
	a.ADDQ(reg.RCX, reg.R9)
	a.next()
	a.Label("spent")
	returnHere(a)
}

// returnHere returns at this step.
func returnHere(a assembler) {
	a.MOVQ(reg.RAX, field("stepRun_left", reg.R14))
	a.RET()
}

// passOn skips the next step.
func passOn(a assembler) {
	a.LEAQ(field("2*rowStep__size", reg.RAX), reg.RAX)
	a.dispatch()
}

// branch jumps by b bytes if the scalar register a is not 0 or, with zero, if it is.
func branch(a assembler, zero int) {
	a.MOVL(field("rowStep_a", reg.RAX), reg.ESI)
	a.decide(ahead(reg.R15, reg.RSI, 1), zero)
}

// branchActive jumps by b bytes if lanes are active or, with zero, if none are.
func branchActive(a assembler, zero int) { a.decide(field("stepRun_exec", reg.R14), zero) }

func (a assembler) decide(by operand.Mem, zero int) {
	a.CMPQ(by, operand.Imm(0))
	[]func(operand.Op){a.JEQ, a.JNE}[zero](operand.LabelRef("over"))
	a.DECQ(reg.R8)
	a.jumpFar()
	a.Label("over")
	a.next()
}

// lessBranch compares the scalars a and b, as the test of a loop does, and jumps by c bytes if the first one is less,
// or if it is not. Bits of the form mark literals and select the condition.
func lessBranch(a assembler, form int) {
	a.words(2, form)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.CMPL(reg.ESI, reg.EDX)
	a.SETCS(reg.CL)
	a.MOVBLZX(reg.CL, reg.ECX)
	a.MOVQ(reg.RCX, ahead(reg.R15, reg.RDI, 1))
	[]func(operand.Op){a.JCC, a.JCS}[form>>2](operand.LabelRef("over"))
	a.DECQ(reg.R8)
	a.MOVLQSX(field("rowStep_c", reg.RAX), reg.RDX)
	a.ADDQ(reg.RDX, reg.RAX)
	a.dispatch()
	a.Label("over")
	a.next()
}

// split leaves those lanes active that are in the mask a, or those that are not, and adds the others to the mask d.
func split(a assembler, others int) {
	a.MOVL(field("rowStep_a", reg.RAX), reg.ESI)
	a.MOVQ(ahead(reg.R15, reg.RSI, 1), reg.RSI)
	if others != 0 {
		a.NOTQ(reg.RSI)
	}
	a.MOVQ(field("stepRun_exec", reg.R14), reg.RCX)
	a.ANDQ(reg.RCX, reg.RSI)
	a.XORQ(reg.RSI, reg.RCX)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.ORQ(reg.RCX, ahead(reg.R15, reg.RDI, 1))
	a.activate()
}

// park puts all active lanes into the mask d.
func park(a assembler) {
	a.MOVQ(field("stepRun_exec", reg.R14), reg.RCX)
	a.MOVL(field("rowStep_d", reg.RAX), reg.EDI)
	a.ORQ(reg.RCX, ahead(reg.R15, reg.RDI, 1))
	kill(a)
}

func kill(a assembler) {
	a.XORL(reg.ESI, reg.ESI)
	a.activate()
}

// join takes lanes out of the mask a.
func join(a assembler) {
	a.MOVL(field("rowStep_a", reg.RAX), reg.EDI)
	a.MOVQ(ahead(reg.R15, reg.RDI, 1), reg.RSI)
	a.ANDQ(field("CompiledRun_full", reg.R14), reg.RSI)
	a.ORQ(field("stepRun_exec", reg.R14), reg.RSI)
	a.MOVQ(operand.U32(0), ahead(reg.R15, reg.RDI, 1))
	a.activate()
}

// activate makes the lanes in SI active. It jumps by b bytes if these are all lanes, and by c bytes if some are idle.
func (a assembler) activate() {
	a.MOVQ(reg.RSI, field("stepRun_exec", reg.R14))
	a.MOVLQSX(field("rowStep_b", reg.RAX), reg.RBX)
	a.XORQ(field("CompiledRun_full", reg.R14), reg.RSI)
	a.JEQ(operand.LabelRef("all"))
	a.POPCNTQ(reg.RSI, reg.RSI)
	a.MOVQ(reg.RSI, field("CompiledRun_idle", reg.R14))
	a.MOVLQSX(field("rowStep_c", reg.RAX), reg.RBX)
	a.Label("all")
	a.ADDQ(reg.RBX, reg.RAX)
	a.dispatch()
}

// jumpFar jumps by b bytes.
func (a assembler) jumpFar() {
	a.MOVLQSX(field("rowStep_b", reg.RAX), reg.RDX)
	a.ADDQ(reg.RDX, reg.RAX)
	a.dispatch()
}

// jump jumps by b bytes, and subtracts a from the budget.
func jump(a assembler) {
	a.MOVL(field("rowStep_a", reg.RAX), reg.ECX)
	a.SUBQ(reg.RCX, reg.R8)
	a.jumpFar()
}
