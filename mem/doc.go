// Package mem is the device's memory: the bytes of buffers and images, how one
// instruction's lane addresses become cache-line requests, and how long the
// hierarchy takes to answer them.
//
// Values are computed when an instruction issues; the order of issue is the
// memory order. Time is booked beside that: the hierarchy sees line numbers and
// byte counts, never values. The package does not know what a shader is, who
// issues, or when a wave waits for its results.
package mem
