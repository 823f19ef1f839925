package systemtest

import (
	"fmt"
	"strings"
)

// source is a program as GLSL, to be read and to be given to other compilers.
func source(p *program) string {
	g := &glsl{p: p}
	fmt.Fprintf(g, sourceHead, p.size)
	for k := len(p.funcs) - 1; k > 0; k-- {
		g.function(k, fmt.Sprintf("uint f%d(uint v0, uint v1)", k))
	}
	g.function(0, "void main()")
	return g.String()
}

const sourceHead = `#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = %d) in;
layout(set = 0, binding = 0) buffer Out { uint word[]; };
uint words(bool c) { uvec4 b = subgroupBallot(c); return b.x ^ 3u * b.y; }
`

type glsl struct {
	strings.Builder
	p  *program
	in int // depth
	f  int
}

func (g *glsl) line(format string, args ...any) {
	fmt.Fprintf(g, "%s"+format+"\n", append([]any{strings.Repeat("\t", g.in)}, args...)...)
}

func (g *glsl) function(k int, head string) {
	g.f = k
	g.line("%s {", head)
	g.in++
	for v := g.p.funcs[k].params; v < g.p.funcs[k].vars; v++ {
		g.line("uint v%d = 0u;", v)
	}
	g.in--
	g.block(g.p.funcs[k].body, "}")
}

// block writes statements and what ends them.
func (g *glsl) block(list []stmt, end string, args ...any) {
	g.in++
	for i := range list {
		g.stmt(&list[i])
	}
	g.in--
	g.line(end, args...)
}

func (g *glsl) stmt(s *stmt) {
	switch s.kind {
	case assign:
		g.line("v%d = %s;", s.n, text(s.e))
	case record:
		at := fmt.Sprintf("word[gl_LocalInvocationIndex * %d + %d]", ownWords, s.n)
		g.line("%s = %s * 31u + %s;", at, at, text(s.e))
	case tally:
		g.line("atomicAdd(word[%d], %s);", maxSize*ownWords+s.n, text(s.e))
	case invoke:
		g.line("v%d = f%d(%s, %s);", s.n, s.count, text(s.args[0]), text(s.args[1]))
	case branch:
		g.line("if (%s) {", truth(s.c))
		if len(s.other) > 0 {
			g.block(s.body, "} else {")
			g.block(s.other, "}")
		} else {
			g.block(s.body, "}")
		}
	case choose:
		g.choose(s)
	case leave:
		g.line("break;")
	case goOn:
		g.line("continue;")
	case giveBack:
		g.line("return%s;", map[bool]string{true: " " + text(s.e)}[g.f > 0])
	default:
		g.loop(s)
	}
}

func (g *glsl) choose(s *stmt) {
	g.line("switch (%s) {", text(s.e))
	for _, c := range s.cases {
		for _, v := range c.values {
			g.line("case %d:", v)
		}
		if len(c.values) == 0 {
			g.line("default:")
		}
		list := c.body
		if !c.falls {
			list = append(list[:len(list):len(list)], stmt{kind: leave})
		}
		g.block(list, "")
	}
	g.line("}")
}

func (g *glsl) loop(s *stmt) {
	next, below := "", ""
	if s.kind < waterfall {
		g.line("v%d = 0u;", s.count)
		next, below = fmt.Sprintf("v%d++", s.count), fmt.Sprintf("v%d < %s", s.count, text(s.e))
	}
	switch s.kind {
	case while:
		g.line("for (; %s && %s; %s) {", below, truth(s.c), next)
		g.block(s.body, "}")
	case doWhile:
		g.line("do {")
		g.block(s.body, "} while (++%s);", below)
	case forever:
		g.line("for (;; %s) {", next)
		g.block(s.body, "\tif (!(%s)) break;", below)
		g.block(s.other, "}")
	case turns:
		g.line("for (;; %s) {", next)
		g.last(s, fmt.Sprintf("v%d == %s", s.count, text(s.e)))
	case waterfall:
		g.line("for (;;) {")
		g.in++
		g.line("uint x = %s;", text(s.e))
		g.in--
		g.last(s, "subgroupBroadcastFirst(x) == x")
	case election:
		g.line("for (;;) {")
		g.last(s, "subgroupElect()")
	}
}

func (g *glsl) last(s *stmt, c string) {
	g.in++
	g.line("if (%s) {", c)
	g.block(append(s.body[:len(s.body):len(s.body)], stmt{kind: leave}), "}")
	g.in--
	g.block(s.other, "}")
}

var exprText = map[exprOp]string{thread: "gl_LocalInvocationIndex", subgroup: "gl_SubgroupID",
	plus: "(%s + %s)", minus: "(%s - %s)", times: "(%s * %s)", both: "(%s & %s)", either: "(%s | %s)", differ: "(%s ^ %s)",
	ballotWords: "words(%s)", ballotCount: "subgroupBallotBitCount(subgroupBallot(%s))",
	ballotBelow: "subgroupBallotExclusiveBitCount(subgroupBallot(%s))", firstOf: "subgroupBroadcastFirst(%s)",
	sumOf: "subgroupAdd(%s)", sumBelow: "subgroupExclusiveAdd(%s)", pick: "mix(%[3]s, %[2]s, %[1]s)"}

func text(e *expr) string {
	var args []any
	switch e.op {
	case constant:
		return fmt.Sprintf("%du", e.n)
	case variable:
		return fmt.Sprintf("v%d", e.n)
	}
	if e.c != nil {
		args = append(args, truth(e.c))
	}
	for _, x := range []*expr{e.a, e.b} {
		if x != nil {
			args = append(args, text(x))
		}
	}
	return fmt.Sprintf(exprText[e.op], args...)
}

func truth(c *cond) string {
	switch c.op {
	case always:
		return "true"
	case elect:
		return "subgroupElect()"
	case not, anyOf, allOf:
		return map[condOp]string{not: "!", anyOf: "subgroupAny", allOf: "subgroupAll"}[c.op] + "(" + truth(c.l) + ")"
	case andAlso, orElse:
		return "(" + truth(c.l) + map[condOp]string{andAlso: " && ", orElse: " || "}[c.op] + truth(c.r) + ")"
	}
	return "(" + text(c.a) + map[condOp]string{less: " < ", same: " == ", other: " != "}[c.op] + text(c.b) + ")"
}
