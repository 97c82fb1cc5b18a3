package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxObject limits the bytes read of one response or event. A full Secret in base64 with the largest metadata has less
// than 3 MB.
const maxObject = 4 << 20

// mergePatch is the content type of RFC 7396 patches.
const mergePatch = "application/merge-patch+json"

// fieldManager owns the fields that the helpers write. kubectl apply would take over fields of a manager whose name starts
// with kubectl.
const fieldManager = "resourceplugins"

type request struct {
	verb   string // for messages, as in Roles
	method string
	object Ref
	path   string
	query  url.Values
	body   []byte
	// bodyType is the content type of body. The default is mergePatch.
	bodyType string
	// hasNoSecret is set if the response may be quoted.
	hasNoSecret bool
}

// send returns the response if the request succeeded; the caller must close its body.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	token, err := c.bearerToken()
	if err != nil {
		return nil, &Failure{Verb: r.verb, Object: r.object, Reason: err.Error()}
	}
	address := c.address + r.path + "?" + r.query.Encode()
	message, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, &Failure{Verb: r.verb, Object: r.object, Code: http.StatusBadRequest}
	}
	message.Header.Set("Accept", "application/json")
	message.Header.Set("Authorization", "Bearer "+token)
	message.Header.Set("User-Agent", fieldManager)
	if len(r.body) > 0 {
		message.Header.Set("Content-Type", cmp.Or(r.bodyType, mergePatch))
	}
	response, err := c.http.Do(message)
	if err != nil {
		return nil, &Failure{Verb: r.verb, Object: r.object, Reason: reason(err)}
	}
	switch response.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted:
		return response, nil
	}
	content, _ := io.ReadAll(io.LimitReader(response.Body, maxObject))
	_ = response.Body.Close()
	failure := &Failure{Verb: r.verb, Object: r.object, Code: response.StatusCode, RetryAfter: retryAfter(response)}
	if r.hasNoSecret {
		failure.quote(content)
	}
	return nil, failure
}

// call sends a request other than a watch and decodes the response into result, unless that is nil.
func (c *Client) call(ctx context.Context, r request, result any) error {
	_, err := c.callHeader(ctx, r, result, maxObject)
	return err
}

// callHeader is call for responses of another size. It returns the response's header, too.
func (c *Client) callHeader(ctx context.Context, r request, result any, most int64) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timing.Request)
	defer cancel()
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return nil, &Failure{Verb: r.verb, Object: r.object, Reason: reason(err)}
	}
	if result != nil && json.Unmarshal(content, result) != nil {
		return nil, &Failure{Verb: r.verb, Object: r.object, Reason: "the response must be an object as JSON"}
	}
	return response.Header, nil
}

// retryAfter reads the Retry-After header, at most 30 seconds. Dates (RFC 9110) are ignored: the API server sends seconds.
func retryAfter(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, 30*time.Second)
}
