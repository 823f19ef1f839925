package suite

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Words configure the replacement of values in changed texts.
type Words struct {
	Separator string   // separator between a key and its value; lines that contain it are preferred
	Values    []string // values to replace others
}

// Texts are the files of a folder with one extension.
type Texts struct {
	Words
	Dir         string
	names, text []string
	found       []string // words of all files, sorted
}

var (
	word    = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)
	numeral = regexp.MustCompile(`-?\b[0-9][0-9.]*\b`)
	numbers = []string{"0", "1", "-1", "2", "7", "31", "1.5", "65536", "4294967296", "1e30", "n"}
)

// ReadTexts reads the files of a folder with an extension.
func ReadTexts(t testing.TB, dir, ending string, by Words) *Texts {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := &Texts{Words: by, Dir: dir}
	for _, e := range names {
		if path.Ext(e.Name()) != ending {
			continue
		}
		data, err := os.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		x.names, x.text = append(x.names, e.Name()), append(x.text, string(data))
		x.found = append(x.found, word.FindAllString(string(data), -1)...)
	}
	slices.Sort(x.found)
	x.found = slices.Compact(x.found)
	return x
}

// Changed returns file i modulo their number, with one or two random changes seeded by i.
func (x *Texts) Changed(i int) (name, text string) {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	k := i % len(x.names)
	lines := strings.Split(x.text[k], "\n")
	for range 1 + r.IntN(2) {
		lines = x.change(lines, r)
	}
	return x.names[k], strings.Join(lines, "\n")
}

// ChangedWord returns file i modulo their number, a file of 32-bit words, with one word changed or cut off there.
func (x *Texts) ChangedWord(i int) (name string, data []byte) {
	r := rand.New(rand.NewPCG(uint64(i), 4))
	k := i % len(x.names)
	data = []byte(x.text[k])
	at := r.IntN(len(data)/4) * 4
	was := binary.LittleEndian.Uint32(data[at:])
	switch r.IntN(8) {
	case 0:
		return x.names[k], data[:at+r.IntN(4)]
	case 1:
		was = r.Uint32()
	case 2:
		was += 1 << 16
	case 3:
		was--
	default:
		was ^= 1 << r.IntN(32)
	}
	binary.LittleEndian.PutUint32(data[at:], was)
	return x.names[k], data
}

// change makes one random change to a text.
func (x *Texts) change(lines []string, r *rand.Rand) []string {
	i := r.IntN(len(lines))
	for range 20 {
		if strings.Contains(lines[i], x.Separator) {
			break
		}
		i = r.IntN(len(lines))
	}
	at := lines[i]
	any := func(list []string) string { return list[r.IntN(len(list))] }
	switch r.IntN(12) {
	case 0:
		return slices.Delete(lines, i, i+1)
	case 1:
		return slices.Insert(lines, i, at)
	case 2:
		key, _, _ := strings.Cut(at, x.Separator)
		lines[i] = key + x.Separator + " " + any(x.Values)
	case 3:
		lines[i] = "  " + at
	case 4, 5:
		lines[i] = replaceOne(at, word, r, func(string) string { return any(x.found) })
	case 6:
		lines[i] = replaceOne(at, word, r, func(s string) string { k := r.IntN(len(s)); return s[:k] + s[k+1:] })
	default:
		lines[i] = replaceOne(at, numeral, r, func(string) string { return any(numbers) })
	}
	return lines
}

// replaceOne replaces a random match of a pattern, if there is one.
func replaceOne(text string, what *regexp.Regexp, r *rand.Rand, by func(string) string) string {
	list := what.FindAllStringIndex(text, -1)
	if len(list) == 0 {
		return text
	}
	p := list[r.IntN(len(list))]
	return text[:p[0]] + by(text[p[0]:p[1]]) + text[p[1]:]
}
