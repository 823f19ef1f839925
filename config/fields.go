package config

import (
	"reflect"

	"spvsim/internal/lists"
	"spvsim/internal/spec"
)

// A field is one row of the table that struct tags define: the reader, the checks and the schema all use it.
type field = spec.Field

// fieldsOf lists the fields of a struct that a file can set, in order.
func fieldsOf(t reflect.Type) []field { return spec.Fields(t) }

func typeWords(t reflect.Type) string {
	if t == reflect.TypeFor[Expr]() {
		return "a number or an expression"
	}
	return spec.TypeWords(t)
}

// checkStruct reports every value under v that its tags do not allow.
func checkStruct(v reflect.Value, path string) []problem { return problems(spec.CheckAt(v, path)) }

func problems(list []spec.Problem) []problem {
	return lists.Map(list, func(p spec.Problem) problem { return problem{p.Path, p.Msg, p.Kind} })
}
