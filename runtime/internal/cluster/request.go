package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxObject bounds what is read of one answer or event: a full Secret in base64 with the largest metadata is below 3 MB.
const maxObject = 4 << 20

// mergePatch is the content type of RFC 7396 patches.
const mergePatch = "application/merge-patch+json"

// fieldManager owns what the helpers write. A name that starts with kubectl would be migrated by kubectl apply.
const fieldManager = "resourceplugins"

type request struct {
	verb   string // of the API, for messages
	method string
	secret Ref
	path   string
	query  url.Values
	body   []byte
}

// send returns the response of a request that the server accepted; its body must be closed.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	token, err := c.bearer()
	if err != nil {
		return nil, &Failure{Verb: r.verb, Secret: r.secret, Reason: err.Error()}
	}
	address := c.address + r.path + "?" + r.query.Encode()
	message, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, &Failure{Verb: r.verb, Secret: r.secret, Code: http.StatusBadRequest}
	}
	message.Header.Set("Accept", "application/json")
	message.Header.Set("Authorization", "Bearer "+token)
	message.Header.Set("User-Agent", fieldManager)
	if r.method == http.MethodPatch {
		message.Header.Set("Content-Type", mergePatch)
	}
	response, err := c.http.Do(message)
	if err != nil {
		return nil, &Failure{Verb: r.verb, Secret: r.secret, Reason: reason(err)}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxObject))
	_ = response.Body.Close()
	return nil, &Failure{Verb: r.verb, Secret: r.secret, Code: response.StatusCode, After: retryAfter(response)}
}

// call sends a request that is answered at once and decodes the answer into result, unless that is nil.
func (c *Client) call(ctx context.Context, r request, result any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timing.Request)
	defer cancel()
	response, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxObject))
	if err != nil {
		return &Failure{Verb: r.verb, Secret: r.secret, Reason: reason(err)}
	}
	if result != nil && json.Unmarshal(answer, result) != nil {
		return &Failure{Verb: r.verb, Secret: r.secret, Reason: "the answer is not the JSON of a Secret"}
	}
	return nil
}

// retryAfter is what the server asks for, in seconds by RFC 9110 and at most half a minute.
func retryAfter(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, 30*time.Second)
}
