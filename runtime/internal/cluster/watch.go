package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Watch calls changed with the Secret, and again each time it changes, until changed returns done or an error. It calls
// changed with nil when the Secret was deleted, and not at all while it does not exist. Each request starts from the API
// server's cache (resourceVersion 0).
func (c *Client) Watch(ctx context.Context, ref Ref, changed func(*Secret) (done bool, err error)) error {
	return c.watch(ctx, ref, func(object *watchedObject) (bool, error) {
		if object == nil {
			return changed(nil)
		}
		return changed(&object.Secret)
	})
}

// watch is Watch for objects of any kind.
func (c *Client) watch(ctx context.Context, ref Ref, changed func(*watchedObject) (done bool, err error)) error {
	retry := retryState{timing: c.timing, log: c.log}
	for {
		started := time.Now()
		done, err := c.watchOnce(ctx, ref, changed)
		if done {
			return err
		}
		if err := retry.wait(ctx, started, err); err != nil {
			return err
		}
	}
}

// watchOnce sends one watch request. The error is nil if the server ended the watch regularly.
func (c *Client) watchOnce(ctx context.Context, ref Ref, changed func(*watchedObject) (bool, error)) (done bool, err error) {
	// The server ends the watch after timeoutSeconds; the context's timeout is for a server that does not.
	length := jitter(c.timing.Watch)
	ctx, cancel := context.WithTimeout(ctx, length+c.timing.Request)
	defer cancel()
	response, err := c.send(ctx, request{
		verb: "watch", method: http.MethodGet, object: ref, path: ref.collection(),
		query: url.Values{
			"watch":           {"1"},
			"fieldSelector":   {"metadata.name=" + ref.Name},
			"resourceVersion": {"0"},
			"timeoutSeconds":  {strconv.Itoa(max(1, int(length.Seconds())))},
		},
	})
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	stream := &limitedReader{source: response.Body}
	decoder := json.NewDecoder(stream)
	for {
		stream.remaining = maxObject
		var event watchEvent
		if err := decoder.Decode(&event); err != nil {
			return false, stream.failure(ref, err)
		}
		if done, err := event.deliver(ref, changed); done || err != nil {
			return done, err
		}
	}
}

// failure returns the reason why decoding ended: nil at the end of the stream.
func (b *limitedReader) failure(ref Ref, err error) error {
	switch {
	case b.failed != nil:
		return &Failure{Verb: "watch", Object: ref, Reason: reason(b.failed)}
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Failure{Verb: "watch", Object: ref, Reason: reason(err)}
	default:
		return &Failure{Verb: "watch", Object: ref, Reason: "an event must be an object as JSON"}
	}
}

// watchEvent is one event of a watch.
type watchEvent struct {
	Type   string        `json:"type"`
	Object watchedObject `json:"object"`
}

// watchedObject is a Secret, a Job, or the Status in an ERROR event.
type watchedObject struct {
	Secret
	// Status is a Job's status, or a text in a Status.
	Status json.RawMessage `json:"status"`
	// Code is the code of a Status.
	Code int `json:"code"`
}

func (e *watchEvent) deliver(ref Ref, changed func(*watchedObject) (bool, error)) (done bool, err error) {
	switch e.Type {
	case "ADDED", "MODIFIED":
		done, err = changed(&e.Object)
	case "DELETED":
		done, err = changed(nil)
	case "BOOKMARK":
		return false, nil
	default:
		return false, &Failure{Verb: "watch", Object: ref, Code: e.Object.Code, Reason: "the server ended the watch"}
	}
	return done || err != nil, err
}

// limitedReader limits the size of one event and keeps the error of the source.
type limitedReader struct {
	source    io.Reader
	remaining int
	failed    error
}

var errTooLarge = errors.New("event too large")

func (b *limitedReader) Read(p []byte) (int, error) {
	if b.remaining <= 0 {
		return 0, errTooLarge
	}
	n, err := b.source.Read(p[:min(len(p), b.remaining)])
	b.remaining -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}
