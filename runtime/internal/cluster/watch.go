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

// Watch shows the Secret to look, first as it is and then each time it changes, until look says that it is done or
// returns an error. nil is shown when it was removed; nothing is shown as long as it does not exist. Each round begins
// at what the API server has in its cache (resourceVersion 0), so that a restarted server is no reason to start over.
func (c *Client) Watch(ctx context.Context, ref Ref, look func(*Secret) (done bool, err error)) error {
	rounds := series{timing: c.timing}
	for {
		began := time.Now()
		done, err := c.round(ctx, ref, look)
		if done {
			return err
		}
		if err := rounds.after(ctx, began, err); err != nil {
			return err
		}
	}
}

// round is one watch from its beginning to its end. It is done when look is; any other end but the server's regular one
// is an error.
func (c *Client) round(ctx context.Context, ref Ref, look func(*Secret) (bool, error)) (done bool, err error) {
	// The server ends the watch in time; the limit on our side is for a server that does not.
	length := jittered(c.timing.Watch)
	ctx, cancel := context.WithTimeout(ctx, length+c.timing.Request)
	defer cancel()
	response, err := c.send(ctx, request{
		verb: "watch", method: http.MethodGet, secret: ref, path: ref.path(),
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
	stream := &bounded{source: response.Body}
	decoder := json.NewDecoder(stream)
	for {
		stream.left = maxObject
		var next event
		if err := decoder.Decode(&next); err != nil {
			return false, stream.broken(ref, err)
		}
		if done, err := next.show(ref, look); done || err != nil {
			return done, err
		}
	}
}

// broken is why a stream ended before look was done: nil for the regular end.
func (b *bounded) broken(ref Ref, err error) error {
	switch {
	case b.failed != nil:
		return &Failure{Verb: "watch", Secret: ref, Reason: reason(b.failed)}
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Failure{Verb: "watch", Secret: ref, Reason: reason(err)}
	default:
		return &Failure{Verb: "watch", Secret: ref, Reason: "an event is not the JSON of a Secret"}
	}
}

// event is one line of a watch. Code is that of the Status in an ERROR.
type event struct {
	Type   string `json:"type"`
	Object struct {
		Secret
		Code int `json:"code"`
	} `json:"object"`
}

func (e *event) show(ref Ref, look func(*Secret) (bool, error)) (done bool, err error) {
	switch e.Type {
	case "ADDED", "MODIFIED":
		done, err = look(&e.Object.Secret)
	case "DELETED":
		done, err = look(nil)
	case "BOOKMARK":
		return false, nil
	default:
		return false, &Failure{Verb: "watch", Secret: ref, Code: e.Object.Code, Reason: "the server ended the watch"}
	}
	return done || err != nil, err
}

// bounded refuses an event without end, and remembers why reading failed.
type bounded struct {
	source io.Reader
	left   int
	failed error
}

var errTooLarge = errors.New("more than an object may hold")

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.source.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}
