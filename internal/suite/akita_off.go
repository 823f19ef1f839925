//go:build !akita

package suite

// Akita reports that the build has Akita's caches and tracer.
const Akita = false

// LastMemoryModel is the last of MemoryModels.
const LastMemoryModel = "fast"
