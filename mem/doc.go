// Package mem is the memory of the device: the bytes of buffers and images, the
// cache-line requests of an instruction's lane addresses, and the time that the
// hierarchy takes to answer them.
//
// Values are computed when an instruction issues; the order of issue is the
// memory order. Time is booked beside that: the hierarchy sees line numbers and
// byte counts, never values. The package does not know what a shader is, who
// issues, or when a wave waits for its results.
package mem
