package expression

import "sync"

// cacheSize bounds the programs that are kept: a job has some dozens of expressions and evaluates each once a launch.
const cacheSize = 1024

type cacheKey struct {
	text string
	kind Arithmetic
}

var (
	cacheLock sync.Mutex
	cache     = map[cacheKey]*Program{}
)

// Cached is Compile without types of names, which gives the program of an earlier call with the same text if it still has it.
func Cached(text string, kind Arithmetic) (*Program, error) {
	key := cacheKey{text, kind}
	cacheLock.Lock()
	p := cache[key]
	cacheLock.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := Compile(text, kind, nil)
	if err != nil {
		return nil, err
	}
	cacheLock.Lock()
	defer cacheLock.Unlock()
	if len(cache) >= cacheSize {
		clear(cache)
	}
	cache[key] = p
	return p, nil
}
