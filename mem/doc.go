// Package mem carries out the memory instructions of a wave: it moves values between registers and the bytes of buffers and
// images, lane by lane or row by row, coalesces the lanes' addresses to cache lines, and asks the hierarchy when those lines
// are there.
//
// Values are exchanged when an instruction issues, so the order of issue is the order of memory. The hierarchy
// (package hierarchy, or Akita's caches in package akita) sees line addresses and byte counts, never values.
package mem
