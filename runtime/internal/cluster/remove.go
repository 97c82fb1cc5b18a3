package cluster

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// Remove deletes an object with its dependents and waits until they are gone. It reports whether the object existed.
func (c *Client) Remove(ctx context.Context, ref Ref) (existed bool, err error) {
	err = c.retry(ctx, func() error {
		err := c.delete(ctx, ref, url.Values{"propagationPolicy": {"Foreground"}})
		if isNotFound(err) {
			return nil
		}
		if err == nil {
			existed = true
			return &Failure{Verb: "delete", Object: ref, Reason: "it is still being deleted"}
		}
		return err
	})
	return existed, err
}

// Exists reports whether an object exists. It needs only the permission delete: it is a dry run of a deletion.
func (c *Client) Exists(ctx context.Context, ref Ref) (exists bool, err error) {
	err = c.retry(ctx, func() error {
		err := c.delete(ctx, ref, url.Values{"dryRun": {"All"}})
		exists = err == nil
		if isNotFound(err) {
			return nil
		}
		return err
	})
	return exists, err
}

func (c *Client) delete(ctx context.Context, ref Ref, query url.Values) error {
	return c.call(ctx, request{
		verb: "delete", method: http.MethodDelete, object: ref, path: ref.path(), query: query, hasNoSecret: true,
	}, nil)
}

// Listed identifies an object of a list.
type Listed struct {
	Metadata struct{ Namespace, Name string }
}

// List returns objects of a kind in all namespaces, at most limit. The error is ErrNotServed if the cluster does not serve
// the kind.
func (c *Client) List(ctx context.Context, kind Kind, limit int) ([]Listed, error) {
	var list struct{ Items []Listed }
	of := Ref{Kind: kind}
	err := c.retry(ctx, func() error {
		err := c.call(ctx, request{
			verb: "list", method: http.MethodGet, object: of, path: of.collection(),
			query: url.Values{"limit": {strconv.Itoa(limit)}}, hasNoSecret: true,
		}, &list)
		if isNotFound(err) {
			return ErrNotServed
		}
		return err
	})
	return list.Items, err
}

func isNotFound(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Code == http.StatusNotFound
}
