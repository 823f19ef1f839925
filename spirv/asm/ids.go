package asm

import (
	"errors"
	"fmt"
	"strconv"

	"spvsim/spirv"
)

// idTable numbers the ids of a text.
type idTable struct {
	byName   map[string]spirv.ID
	next     spirv.ID
	greatest spirv.ID
	preserve bool
	reserved map[spirv.ID]bool // numbers that the text uses; only to preserve
}

func (t *idTable) init(tokens []token, preserve bool) {
	t.byName, t.next, t.preserve = map[string]spirv.ID{}, 1, preserve
	if !preserve {
		return
	}
	t.reserved = map[spirv.ID]bool{}
	for _, tok := range tokens {
		if id, ok := numeric(tok.text[1:]); ok && tok.text[0] == '%' {
			t.reserved[id] = true
		}
	}
}

func numeric(name string) (spirv.ID, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	return spirv.ID(n), err == nil
}

// id returns the id of a name, a new one at first sight.
func (t *idTable) id(name string) (spirv.ID, error) {
	if id, ok := t.byName[name]; ok {
		return id, nil
	}
	id, err := t.number(name)
	if err != nil {
		return 0, err
	}
	if id >= spirv.MaxBound {
		return 0, fmt.Errorf("id %d is above the limit, %d", id, spirv.MaxBound-1)
	}
	t.byName[name] = id
	t.greatest = max(t.greatest, id)
	return id, nil
}

func (t *idTable) number(name string) (spirv.ID, error) {
	if name == "" || sanitize(name) != name {
		return 0, errors.New("an id's name wants letters, digits and _")
	}
	if id, ok := numeric(name); ok && t.preserve {
		if id == 0 {
			return 0, errors.New("id 0 is not allowed")
		}
		return id, nil
	}
	for t.reserved[t.next] {
		t.next++
	}
	id := t.next
	t.next++
	return id, nil
}

// names returns the names by id, for messages.
func (t *idTable) names() []string {
	list := make([]string, t.bound())
	for name, id := range t.byName { // any order: each id has one name
		list[id] = name
	}
	return list
}

func (t *idTable) bound() uint32 { return uint32(t.greatest) + 1 }
