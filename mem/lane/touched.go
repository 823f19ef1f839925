package lane

// Touched is the bytes that the lanes of one instruction access, of memory that launches share.
type Touched struct {
	Mask   uint64      // the lanes
	Addr   *[64]uint64 // of the first byte of each
	Bytes  uint64      // of each
	Packed bool        // each lane's bytes are behind those of the lane before; false: perhaps
}
