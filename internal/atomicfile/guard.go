package atomicfile

import (
	"context"
	"sync"
)

// Guard keeps a process from ending while it writes a file. The program holds it when it ends on a signal; code that
// writes files finds it in the context.
type Guard struct{ sync.Mutex }

type guardKey struct{}

// With returns a context for work that ends when the program takes the guard.
func (g *Guard) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, guardKey{}, g)
}

// guardOf returns the guard of a context, or one that no program takes.
func guardOf(ctx context.Context) *Guard {
	if g, ok := ctx.Value(guardKey{}).(*Guard); ok {
		return g
	}
	return &Guard{}
}

func (g *Guard) do(work func() error) error {
	g.Lock()
	defer g.Unlock()
	return work()
}

// Uninterrupted does work that a signal must not end halfway, so that a file is either the old or the new one. It must be
// short: the user waits for it.
func Uninterrupted(ctx context.Context, work func() error) error { return guardOf(ctx).do(work) }
