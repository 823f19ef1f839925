package plots

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// The whole font would be most of a figure's bytes. subsetFont builds a TrueType font of some characters of another:
// their outlines and the components of those, without hints, kerning and names of glyphs. Tables follow OpenType 1.9.

var be = binary.BigEndian

// ttf is a font's tables by tag.
type ttf map[string][]byte

func readTTF(data []byte) ttf {
	t := ttf{}
	for i := range int(be.Uint16(data[4:])) {
		row := data[12+16*i:]
		offset, length := be.Uint32(row[8:]), be.Uint32(row[12:])
		t[string(row[:4])] = data[offset : offset+length]
	}
	return t
}

// glyph is the outline of a glyph, by its offset in loca; empty for a space.
func (t ttf) glyph(id int) []byte {
	loca := t["loca"]
	if be.Uint16(t["head"][50:]) == 0 { // short offsets, in units of two bytes
		return t["glyf"][2*int(be.Uint16(loca[2*id:])) : 2*int(be.Uint16(loca[2*id+2:]))]
	}
	return t["glyf"][be.Uint32(loca[4*id:]):be.Uint32(loca[4*id+4:])]
}

// Flags of a component of a composed glyph.
const (
	wordArguments   = 1 << 0
	oneScale        = 1 << 3
	moreComponents  = 1 << 5
	twoScales       = 1 << 6
	matrix          = 1 << 7
	hasInstructions = 1 << 8
)

// components returns the offsets of the component glyphs' numbers in an outline, and the offset after the last
// component.
func components(outline []byte) (places []int, end int) {
	if len(outline) == 0 || int16(be.Uint16(outline)) >= 0 {
		return nil, 0
	}
	at := 10
	for {
		flags := be.Uint16(outline[at:])
		places = append(places, at+2)
		at += 6
		for _, extra := range []struct {
			flag  uint16
			bytes int
		}{{wordArguments, 2}, {oneScale, 2}, {twoScales, 4}, {matrix, 8}} {
			if flags&extra.flag != 0 {
				at += extra.bytes
			}
		}
		if flags&moreComponents == 0 {
			return places, at
		}
	}
}

// withoutHints copies an outline without its instructions.
func withoutHints(outline []byte) []byte {
	places, end := components(outline)
	if places != nil {
		out := slices.Clone(outline[:end])
		for _, p := range places {
			be.PutUint16(out[p-2:], be.Uint16(out[p-2:])&^hasInstructions)
		}
		return out
	}
	if len(outline) == 0 {
		return nil
	}
	at := 10 + 2*int(be.Uint16(outline))
	out := append(slices.Clone(outline[:at]), 0, 0)
	return append(out, outline[at+2+int(be.Uint16(outline[at:])):]...)
}

// subsetFont adds a suffix to the family's name, as a page may hold two subsets. It panics on a font that it can't read: the font is built in, and a test subsets it.
func subsetFont(data []byte, runes []rune, suffix string) []byte {
	old := readTTF(data)
	ids, byRune := chosenGlyphs(data, old, runes)
	index := map[int]int{}
	for i, id := range ids {
		index[id] = i
	}
	var glyf, loca, hmtx []byte
	for _, id := range ids {
		loca = be.AppendUint32(loca, uint32(len(glyf)))
		outline := withoutHints(old.glyph(id))
		places, _ := components(outline)
		for _, p := range places {
			be.PutUint16(outline[p:], uint16(index[int(be.Uint16(outline[p:]))]))
		}
		glyf = append(glyf, outline...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
		hmtx = append(hmtx, old.metric(id)...)
	}
	loca = be.AppendUint32(loca, uint32(len(glyf)))
	t := ttf{"glyf": glyf, "loca": loca, "hmtx": hmtx, "name": old.names(suffix), "OS/2": old["OS/2"]}
	for tag, patch := range map[string]struct {
		at    int
		value uint16
		size  int // 0: all
	}{
		"head": {50, 1, 0}, // long offsets
		"hhea": {34, uint16(len(ids)), 0},
		"maxp": {4, uint16(len(ids)), 0},
		"post": {2, 0, 32}, // version 3: no names
	} {
		table := slices.Clone(old[tag])
		be.PutUint16(table[patch.at:], patch.value)
		if patch.size > 0 {
			table = table[:patch.size]
		}
		t[tag] = table
	}
	be.PutUint16(t["post"], 3)
	t["cmap"] = characterMap(runes, byRune, index)
	return t.write()
}

// chosenGlyphs returns the glyphs of some characters and their components, ascending; the first is the glyph for
// missing characters.
func chosenGlyphs(data []byte, old ttf, runes []rune) (ids []int, byRune map[rune]int) {
	f, err := opentype.Parse(data)
	if err != nil {
		panic("plots: the built-in font: " + err.Error())
	}
	var buf sfnt.Buffer
	byRune = map[rune]int{}
	chosen := map[int]bool{0: true}
	queue := []int{0}
	for _, r := range runes {
		id, err := f.GlyphIndex(&buf, r)
		if err != nil {
			panic(fmt.Sprintf("plots: the built-in font: %q: %v", r, err))
		}
		byRune[r] = int(id)
		queue = append(queue, int(id))
	}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		chosen[id] = true
		places, _ := components(old.glyph(id))
		for _, p := range places {
			queue = append(queue, int(be.Uint16(old.glyph(id)[p:])))
		}
	}
	for id := range chosen {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, byRune
}

// metric is a glyph's advance and left bearing; glyphs past the last advance share it.
func (t ttf) metric(id int) []byte {
	n := int(be.Uint16(t["hhea"][34:]))
	if id < n {
		return t["hmtx"][4*id : 4*id+4]
	}
	last := t["hmtx"][4*(n-1) : 4*(n-1)+2]
	return append(slices.Clone(last), t["hmtx"][4*n+2*(id-n):4*n+2*(id-n)+2]...)
}

// names keeps the first seven names (copyright, family... PostScript) and the licence, of the Windows platform in English.
func (t ttf) names(suffix string) []byte {
	const windows, english, family, licence = 3, 0x409, 1, 13
	old := t["name"]
	texts := old[be.Uint16(old[4:]):]
	var rows, kept []byte
	count := 0
	for i := range int(be.Uint16(old[2:])) {
		row := old[6+12*i:][:12]
		id := be.Uint16(row[6:])
		if be.Uint16(row) != windows || be.Uint16(row[4:]) != english || id > 6 && id != licence {
			continue
		}
		offset, length := be.Uint16(row[10:]), be.Uint16(row[8:])
		text := slices.Clone(texts[offset : offset+length])
		if id == family {
			for _, r := range suffix {
				text = be.AppendUint16(text, uint16(r))
			}
		}
		rows = be.AppendUint16(be.AppendUint16(append(rows, row[:8]...), uint16(len(text))), uint16(len(kept)))
		kept = append(kept, text...)
		count++
	}
	out := be.AppendUint16(make([]byte, 2), uint16(count))
	out = be.AppendUint16(out, uint16(6+len(rows)))
	return append(append(out, rows...), kept...)
}

// characterMap is a cmap of format 4, a segment for each character.
func characterMap(runes []rune, byRune map[rune]int, index map[int]int) []byte {
	sorted := slices.Clone(runes)
	slices.Sort(sorted)
	var starts, deltas []byte
	for _, r := range sorted {
		starts = be.AppendUint16(starts, uint16(r))
		deltas = be.AppendUint16(deltas, uint16(index[byRune[r]]-int(r)))
	}
	starts, deltas = append(starts, 0xff, 0xff), append(deltas, 0, 1) // the segment that ends the list
	n := len(starts) / 2
	power, exponent := powerBelow(n)
	var sub []byte
	for _, v := range []int{4, 16 + 8*n, 0, 2 * n, 2 * power, exponent, 2*n - 2*power} {
		sub = be.AppendUint16(sub, uint16(v))
	}
	sub = append(append(sub, starts...), 0, 0) // each segment ends where it begins
	sub = append(append(append(sub, starts...), deltas...), make([]byte, 2*n)...)
	const windows, unicode, header = 3, 1, 12
	out := []byte{0, 0, 0, 1, 0, windows, 0, unicode, 0, 0, 0, header}
	return append(out, sub...)
}

func powerBelow(n int) (power, exponent int) {
	power = 1
	for power*2 <= n {
		power, exponent = power*2, exponent+1
	}
	return power, exponent
}

func checksum(data []byte) uint32 {
	sum := uint32(0)
	for i := 0; i < len(data); i += 4 {
		var word [4]byte
		copy(word[:], data[i:])
		sum += be.Uint32(word[:])
	}
	return sum
}

// write writes the tables to a file, by tag.
func (t ttf) write() []byte {
	const adjustment, magic = 8, 0xb1b0afba // of the whole file's checksum, in head
	copy(t["head"][adjustment:], make([]byte, 4))
	var tags []string
	for tag := range t {
		tags = append(tags, tag)
	}
	slices.SortFunc(tags, strings.Compare)
	n := len(tags)
	power, exponent := powerBelow(n)
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{n, 16 * power, exponent, 16 * (n - power)} {
		out = be.AppendUint16(out, uint16(v))
	}
	var body []byte
	head := 0
	for _, tag := range tags {
		offset := 12 + 16*n + len(body)
		if tag == "head" {
			head = offset
		}
		out = append(out, tag...)
		for _, v := range []uint32{checksum(t[tag]), uint32(offset), uint32(len(t[tag]))} {
			out = be.AppendUint32(out, v)
		}
		body = append(body, t[tag]...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	out = append(out, body...)
	be.PutUint32(out[head+adjustment:], magic-checksum(out))
	return out
}
