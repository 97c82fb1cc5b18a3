package cluster

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// Update reads the Secret, asks change for a patch, and applies it if nobody else wrote in between; if somebody did, it
// begins anew. A nil patch writes nothing. The reading is an empty merge patch, which needs no other right than the
// writing and, unlike a watch from a cache, shows what is stored: before the API server answers that there is nothing to
// change it compares with etcd. An error of change ends it, unless it is NotYet.
func (c *Client) Update(ctx context.Context, ref Ref, change func(*Secret) (*Patch, error)) error {
	return c.insist(ctx, func() error {
		secret, err := c.patch(ctx, ref, Patch{}, "")
		if err != nil {
			return err
		}
		patch, err := change(secret)
		if err != nil || patch == nil {
			return err
		}
		_, err = c.patch(ctx, ref, *patch, secret.Metadata.ResourceVersion)
		return err
	})
}

func (c *Client) patch(ctx context.Context, ref Ref, patch Patch, version string) (*Secret, error) {
	body, err := patch.body(version)
	if err != nil {
		return nil, err
	}
	stored := &Secret{}
	return stored, c.call(ctx, request{
		verb: "patch", method: http.MethodPatch, secret: ref, body: body,
		path:  ref.path() + "/" + url.PathEscape(ref.Name),
		query: url.Values{"fieldManager": {fieldManager}},
	}, stored)
}

// Delete removes the Secret. One that is not there is as good as removed.
func (c *Client) Delete(ctx context.Context, ref Ref) error {
	return c.insist(ctx, func() error {
		err := c.call(ctx, request{
			verb: "delete", method: http.MethodDelete, secret: ref,
			path: ref.path() + "/" + url.PathEscape(ref.Name),
		}, nil)
		var failure *Failure
		if errors.As(err, &failure) && failure.Code == http.StatusNotFound {
			return nil
		}
		return err
	})
}
