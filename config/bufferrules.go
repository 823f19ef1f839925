package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spvsim/internal/lists"
)

func ruleBuffers(j *Job) []problem {
	var ps []problem
	for i := range j.Samplers {
		ps = append(ps, indexProblems(j.Samplers[i].Index, indexPath("samplers", i))...)
	}
	for i := range j.Buffers {
		b, p := &j.Buffers[i], indexPath("buffers", i)
		switch {
		case b.PartOf != "":
			ps = append(ps, partProblems(j, i, p)...)
		case b.Offset != "" || b.PartBytes != "":
			ps = append(ps, problem{p, "found offset or bytes without part_of: want part_of, the buffer that this one is a part of", ErrRange})
		case b.Image != nil && (b.Data != nil || b.TexelBuffer != ""):
			ps = append(ps, problem{p, "found data or texel_buffer beside image: want the data inside image, and no texel_buffer", ErrRange})
		case b.Image != nil:
			ps = append(ps, imageProblems(b.Image, p+".image", j)...)
		case b.Data == nil:
			ps = append(ps, problem{p + ".data", "missing: want data (it gives the size) or image", ErrMissing})
		default:
			ps = append(ps, dataProblems(b.Data, p+".data", j)...)
		}
		ps = append(ps, indexProblems(b.Index, p)...)
		if b.TexelBuffer != "" {
			ps = append(ps, formatProblems(b.TexelBuffer, p+".texel_buffer")...)
		}
		for k := range j.Buffers[:i] {
			if o := &j.Buffers[k]; !b.Unbound && !o.Unbound && o.Set == b.Set && o.Binding == b.Binding && o.Index == b.Index {
				ps = append(ps, problem{p, fmt.Sprintf("found set %d, binding %d, index %d, which buffers[%d] has too: want another", b.Set, b.Binding, b.Index, k), ErrRange})
			}
		}
	}
	return ps
}

// partProblems checks a buffer that is a part of another one.
func partProblems(j *Job, i int, p string) (ps []problem) {
	b := &j.Buffers[i]
	whole := slices.IndexFunc(j.Buffers[:i], func(o Buffer) bool { return o.Name == b.PartOf })
	switch {
	case whole < 0:
		ps = append(ps, problem{p + ".part_of", fmt.Sprintf("found %q: want the name of a buffer before this one", b.PartOf), ErrRange})
	case j.Buffers[whole].PartOf != "":
		ps = append(ps, problem{p + ".part_of", fmt.Sprintf("found %q, which is itself a part: want a whole buffer", b.PartOf), ErrRange})
	}
	if b.Data != nil || b.Address != "" || b.Image != nil && b.Image.Data != nil {
		ps = append(ps, problem{p, "found data or address beside part_of: a part has those of its buffer", ErrRange})
	}
	if b.Image != nil {
		ps = append(ps, imageProblems(b.Image, p+".image", j)...)
	}
	return ps
}

// maxDescriptors bounds the index into a descriptor array: a million, more than drivers allow per stage
// (maxPerStageDescriptorUpdateAfterBindStorageBuffers).
const maxDescriptors = 1 << 20

func indexProblems(index uint32, at string) []problem {
	if index < maxDescriptors {
		return nil
	}
	return []problem{{at + ".index", fmt.Sprintf("found %d: want at most %d", index, maxDescriptors-1), ErrLimit}}
}

func imageProblems(im *Image, at string, j *Job) []problem {
	ps := formatProblems(im.Format, at+".format")
	if _, err := im.shape(j.scope); err != nil {
		ps = append(ps, problemAt(at, err, ErrRange))
	}
	if im.Data != nil {
		ps = append(ps, dataProblems(im.Data, at+".data", j)...)
	}
	return ps
}

func formatProblems(format, at string) []problem {
	if TexelBytes(format) > 0 {
		return nil
	}
	msg := fmt.Sprintf("found %q: want a SPIR-V image format such as Rgba32f%s", format, Hint(format, slices.Sorted(maps.Keys(texelFormats))))
	return []problem{{at, msg, ErrRange}}
}

// dataProblems checks that data has one kind and names buffers that exist.
func dataProblems(d *Data, at string, j *Job) []problem {
	var ps []problem
	if names := d.kindNames(); len(names) != 1 {
		ps = append(ps, problem{at, fmt.Sprintf("found %s: want exactly one of iota, zero, file, random, values, address_of, repeat, parts", listOrNone(names)), ErrRange})
	}
	ps = append(ps, d.strayProblems(at)...)
	if d.AddressOf != "" {
		ps = append(ps, j.bufferProblems(d.AddressOf, at+".address_of")...)
	}
	if d.Repeat != nil && d.Repeat.Data == nil {
		ps = append(ps, problem{at + ".repeat.data", "missing: want the data to repeat", ErrMissing})
	} else if d.Repeat != nil {
		ps = append(ps, dataProblems(d.Repeat.Data, at+".repeat.data", j)...)
	}
	for i := range d.Parts {
		ps = append(ps, dataProblems(&d.Parts[i], indexPath(at+".parts", i), j)...)
	}
	return ps
}

// strayProblems refuses keys that do not apply to the data's kind, and random data without a size.
func (d *Data) strayProblems(at string) []problem {
	var ps []problem
	for _, k := range []struct {
		name string
		set  bool
		acts bool
	}{
		{"count", d.Count != "", d.Iota != "" || d.Values != nil}, {"start", d.Start != "", d.Iota != ""}, {"step", d.Step != "", d.Iota != ""},
		{"offset", d.Offset != "", d.File != ""}, {"bytes", d.Bytes != "", d.File != ""}, {"type", d.Type != "", d.Values != nil},
	} {
		kinds := d.kindNames()
		if !k.set || k.acts || len(kinds) != 1 {
			continue
		}
		msg := fmt.Sprintf("%s data has no %s", kinds[0], k.name)
		if d.Random != nil && (k.name == "count" || k.name == "type") {
			msg += fmt.Sprintf(" beside it: want it inside, as in random: {%s: ...}", k.name)
		}
		ps = append(ps, problem{at + "." + k.name, msg, ErrRange})
	}
	if d.Random != nil && d.Random.Count == "" {
		ps = append(ps, problem{at + ".random.count", "missing: want the number of elements", ErrMissing})
	}
	return ps
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " and ")
}

func (j *Job) bufferProblems(name, at string) []problem {
	known := lists.Map(j.Buffers, func(b Buffer) string { return b.Name })
	if name != "" && slices.Contains(known, name) {
		return nil
	}
	return []problem{{at, fmt.Sprintf("found %q: want the name of a buffer%s", name, Hint(name, known)), ErrReference}}
}
