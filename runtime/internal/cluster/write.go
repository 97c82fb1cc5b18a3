package cluster

import (
	"context"
	"net/http"
	"net/url"
)

// Update reads the Secret, calls change for a patch, and applies that if the Secret has not changed in between;
// otherwise it starts again. A nil patch writes nothing. An error of change ends the update, unless it is Retryable.
//
// It reads with an empty merge patch, which needs only the permission patch, and returns the state stored in etcd, not
// that of the API server's cache.
func (c *Client) Update(ctx context.Context, ref Ref, change func(*Secret) (*Patch, error)) error {
	return c.retry(ctx, func() error {
		secret := &Secret{}
		if err := c.patch(ctx, ref, Patch{}, "", secret); err != nil {
			return err
		}
		patch, err := change(secret)
		if err != nil || patch == nil {
			return err
		}
		return c.patch(ctx, ref, *patch, secret.Metadata.ResourceVersion, &Secret{})
	})
}

// patch applies a patch and decodes the object into stored. A response that is no object is an error: it is not known
// whether the patch was applied.
func (c *Client) patch(ctx context.Context, ref Ref, patch Patch, version string, stored any) error {
	body, err := patch.body(version)
	if err != nil {
		return err
	}
	return c.call(ctx, request{
		verb: "patch", method: http.MethodPatch, object: ref, body: body,
		path:  ref.path(),
		query: url.Values{"fieldManager": {fieldManager}},
	}, stored)
}

// Delete deletes the Secret. It is not an error if the Secret does not exist.
func (c *Client) Delete(ctx context.Context, ref Ref) error {
	return c.retry(ctx, func() error {
		err := c.call(ctx, request{
			verb: "delete", method: http.MethodDelete, object: ref,
			path: ref.path(),
		}, nil)
		if isNotFound(err) {
			return nil
		}
		return err
	})
}
