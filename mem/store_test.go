package mem

import (
	"testing"

	"spvsim/internal/suite"
)

// Bytes that somebody else keeps are found at their address, apart from their neighbours by the guard.
func TestAttach(t *testing.T) {
	const at = 1 << 30
	s := NewStore(0)
	bytes := make([]byte, 64)
	suite.OK(t, s.Attach(at, bytes, "a"))
	for _, x := range []struct {
		addr, size uint64
		ok         bool
	}{
		{at, 1, false}, {at + 64, 1, false}, {at + 64 + Guard - 1, 1, false}, {at + 64 + Guard, 1, true},
		{at - 1, 1, false}, {at - Guard, 1, false}, {at - Guard - 1, 1, true}, {0, 1, false}, {^uint64(0), 1, false},
	} {
		err := s.Attach(x.addr, make([]byte, x.size), "b")
		if (err == nil) != x.ok {
			t.Errorf("%d bytes at %#x: %v", x.size, x.addr, err)
		}
		if err == nil {
			s.Detach(x.addr)
		}
	}
	if b := s.Find(at + 63); b == nil || &b.Bytes[0] != &bytes[0] {
		t.Errorf("found %v", b)
	}
	if b := s.Find(at + 64); b != nil {
		t.Errorf("after the end: found %v", b)
	}
	own, err := s.Alloc(16, "own")
	if err != nil || s.Find(own.Addr) != own || s.Find(at) == nil {
		t.Errorf("a buffer of the store's own beside it: %v, found %v and %v", err, s.Find(own.Addr), s.Find(at))
	}
	s.Detach(at)
	if b := s.Find(at); b != nil {
		t.Errorf("taken away: found %v", b)
	}
}

// Adopted bytes are not copied, and count like others.
func TestAdopt(t *testing.T) {
	s, bytes := NewStore(1024), make([]byte, 1000)
	b, err := s.Adopt(bytes, "mine")
	if err != nil || &b.Bytes[0] != &bytes[0] || s.Find(b.Addr+999) != b || s.Left() != 24 {
		t.Fatalf("%+v, %v; %d bytes are left", b, err, s.Left())
	}
	for _, more := range []func() (*Buffer, error){
		func() (*Buffer, error) { return s.Adopt(make([]byte, 25), "more") },
		func() (*Buffer, error) { return s.Alloc(25, "more") },
	} {
		if _, err := more(); err == nil || err.Error() != `mem: "more": found 25 bytes: want at most 24, which are left of the device's 1024` {
			t.Error(err)
		}
	}
}
