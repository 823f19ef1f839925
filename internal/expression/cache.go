package expression

import "sync"

// cacheSize bounds the cached programs. A job has some dozens of expressions, and evaluates each once per launch.
const cacheSize = 1024

type cacheKey struct {
	text string
	kind Arithmetic
}

var (
	cacheLock sync.Mutex
	cache     = map[cacheKey]*Program{}
)

// Cached is Compile with nil names. It returns a cached program if there is one.
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
