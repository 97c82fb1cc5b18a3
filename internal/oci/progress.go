package oci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// defaultStallTimeout limits the time without progress of a transfer.
const defaultStallTimeout = time.Minute

// stalledError means that a transfer made no progress.
type stalledError struct{ after time.Duration }

// Error returns the message.
func (e *stalledError) Error() string {
	return fmt.Sprintf("registry has not sent or received anything for %s: try again", e.after)
}

// progressTransport ends requests whose bodies make no progress, in either direction.
type progressTransport struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t progressTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	w := &watch{ctx: ctx, cancel: cancel, limit: t.limit}
	w.timer = time.AfterFunc(t.limit, func() { cancel(&stalledError{t.limit}) })
	request = request.WithContext(ctx)
	if request.Body != nil && request.Body != http.NoBody {
		request.Body = watchedBody{request.Body, w, false}
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		err = w.explain(err)
		w.end()
		return nil, err
	}
	response.Body = watchedBody{response.Body, w, true}
	return response, nil
}

// watch cancels a request unless data is transferred again and again.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

// explain returns the reason of a cancellation, if it was a lack of progress.
func (w *watch) explain(err error) error {
	var stalled *stalledError
	if errors.As(context.Cause(w.ctx), &stalled) {
		return stalled
	}
	return err
}

func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// watchedBody is the body of a request or, with last, of its response.
type watchedBody struct {
	io.ReadCloser
	watch *watch
	last  bool
}

// Read implements io.Reader.
func (b watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.watch.timer.Reset(b.watch.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.watch.explain(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b watchedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.last {
		b.watch.end()
	}
	return err
}
