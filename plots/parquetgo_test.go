//go:build parquetgo

package plots

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

type plainLDS struct {
	Banks uint32 `parquet:"banks"`
	Small int32  `parquet:"small"`
}

type plainRow struct {
	Name   string   `parquet:"name"`
	Cycles int64    `parquet:"cycles"`
	Rate   *float64 `parquet:"rate,optional"`
	Single float32  `parquet:"single"`
	OK     bool     `parquet:"ok"`
	LDS    plainLDS `parquet:"lds"`
}

func (r *plainRow) set(i int) {
	*r = plainRow{[]string{"n0", "n1", "n2", "n3", "n4", "n5", "n6"}[i%7], int64(i*i - 200), nil, float32(i) / 2, i%5 == 0, plainLDS{uint32(4_000_000_000) + uint32(i), int32(-i)}}
	if rate := float64(i) / 4; i%3 != 0 {
		r.Rate = &rate
	}
}

type dictionaryRow struct {
	Name   string   `parquet:"name,dict"`
	Cycles int64    `parquet:"cycles,dict"`
	Rate   *float64 `parquet:"rate,optional,dict"`
	Single float32  `parquet:"single,dict"`
	OK     bool     `parquet:"ok"`
	LDS    struct {
		Banks uint32 `parquet:"banks,dict"`
		Small int32  `parquet:"small,dict"`
	} `parquet:"lds"`
}

type deltaRow struct {
	Name   string   `parquet:"name,delta"`
	Cycles int64    `parquet:"cycles,delta"`
	Rate   *float64 `parquet:"rate,optional"`
	Single float32  `parquet:"single"`
	OK     bool     `parquet:"ok"`
	LDS    struct {
		Banks uint32 `parquet:"banks,delta"`
		Small int32  `parquet:"small,delta"`
	} `parquet:"lds"`
}

type splitRow struct {
	Name   string   `parquet:"name"`
	Cycles int64    `parquet:"cycles"`
	Rate   *float64 `parquet:"rate,optional,split"`
	Single float32  `parquet:"single,split"`
	OK     bool     `parquet:"ok"`
	LDS    plainLDS `parquet:"lds"`
}

func (r *dictionaryRow) set(i int) {
	var p plainRow
	p.set(i)
	r.Name, r.Cycles, r.Rate, r.Single, r.OK, r.LDS.Banks, r.LDS.Small = p.Name, p.Cycles, p.Rate, p.Single, p.OK, p.LDS.Banks, p.LDS.Small
}

func (r *deltaRow) set(i int) {
	var p plainRow
	p.set(i)
	r.Name, r.Cycles, r.Rate, r.Single, r.OK, r.LDS.Banks, r.LDS.Small = p.Name, p.Cycles, p.Rate, p.Single, p.OK, p.LDS.Banks, p.LDS.Small
}

func (r *splitRow) set(i int) {
	var p plainRow
	p.set(i)
	r.Name, r.Cycles, r.Rate, r.Single, r.OK, r.LDS = p.Name, p.Cycles, p.Rate, p.Single, p.OK, p.LDS
}

// written is the file of the rows in a form; rows come in three groups.
func written[T any, P interface {
	*T
	set(int)
}](t *testing.T, codec compress.Codec, version int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(128))
	rows := make([]T, 300)
	for i := range rows {
		P(&rows[i]).set(i)
	}
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func kept(t *testing.T, form string, data []byte) {
	t.Helper()
	if !*update {
		return
	}
	if err := os.WriteFile(filepath.Join("testdata", "parquet", form+".parquet"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// What parquet-go writes in each form is read.
func TestParquetOfTheLibrary(t *testing.T) {
	for form, data := range map[string][]byte{
		"first-none": written[plainRow](t, &parquet.Uncompressed, 1), "first-snappy": written[plainRow](t, &parquet.Snappy, 1),
		"first-gzip": written[plainRow](t, &parquet.Gzip, 1), "first-zstd": written[plainRow](t, &parquet.Zstd, 1),
		"first-lz4": written[plainRow](t, &parquet.Lz4Raw, 1), "second-none": written[plainRow](t, &parquet.Uncompressed, 2),
		"second-zstd": written[plainRow](t, &parquet.Zstd, 2), "first-dictionary": written[dictionaryRow](t, &parquet.Snappy, 1),
		"second-dictionary": written[dictionaryRow](t, &parquet.Snappy, 2), "first-delta": written[deltaRow](t, &parquet.Snappy, 1),
		"second-delta": written[deltaRow](t, &parquet.Uncompressed, 2), "first-split": written[splitRow](t, &parquet.Snappy, 1),
	} {
		kept(t, form, data)
		checkParquet(t, form, data)
	}
}

func TestParquetFormsThatAreRefused(t *testing.T) {
	type list struct {
		L []int64 `parquet:"l"`
	}
	type date struct {
		D int32 `parquet:"d,date"`
	}
	type small struct {
		Name   string   `parquet:"name,optional,snappy"`
		Cycles int64    `parquet:"cycles,delta"`
		Rate   *float64 `parquet:"rate,optional"`
	}
	var a, b, c bytes.Buffer
	rate := 0.5
	if err := parquet.Write(&c, []small{{"a", 1, &rate}, {"b", 4, nil}, {"c", 9, &rate}}); err != nil {
		t.Fatal(err)
	}
	kept(t, "small", c.Bytes())
	if err := parquet.Write(&a, []list{{[]int64{1, 2}}}); err != nil {
		t.Fatal(err)
	}
	if err := parquet.Write(&b, []date{{1}}); err != nil {
		t.Fatal(err)
	}
	for form, data := range map[string][]byte{"brotli": written[plainRow](t, &parquet.Brotli, 1), "list": a.Bytes(), "date": b.Bytes()} {
		kept(t, form, data)
		if _, err := ReadParquet(form, data); err == nil {
			t.Errorf("%s is read", form)
		}
	}
}
