package cluster

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Read reads an object with an empty merge patch, which needs only the permission patch. It reports whether the object
// exists.
func (c *Client) Read(ctx context.Context, ref Ref, object any) (exists bool, err error) {
	err = c.retry(ctx, func() error {
		err := c.patch(ctx, ref, Patch{}, "", object)
		exists = err == nil
		if isNotFound(err) {
			return nil
		}
		return err
	})
	return exists, err
}

// Rule is a right of the client's account: verbs on resources, and if there are ResourceNames, only on objects of these
// names.
type Rule struct {
	Verbs, APIGroups, Resources, ResourceNames []string
}

// Rules returns the rights of the client's account in a namespace, and the time of the API server's clock, zero if it is not
// known. Each account may ask for its own rights.
func (c *Client) Rules(ctx context.Context, namespace string) (rules []Rule, now time.Time, err error) {
	kind := Kind{
		Group: "authorization.k8s.io", Version: "v1", Plural: "selfsubjectrulesreviews", Singular: "selfsubjectrulesreview",
	}
	of := Ref{Kind: kind}
	body := `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview","spec":{"namespace":` +
		strconv.Quote(namespace) + `}}`
	var review struct {
		Status struct{ ResourceRules []Rule }
	}
	err = c.retry(ctx, func() error {
		header, err := c.callHeader(ctx, request{
			verb: "create", method: http.MethodPost, object: of, path: of.collection(), body: []byte(body),
			bodyType: "application/json", hasNoSecret: true,
		}, &review, maxList)
		if err == nil {
			now, _ = http.ParseTime(header.Get("Date")) // zero if it is missing
		}
		return err
	})
	return review.Status.ResourceRules, now, err
}

// maxList limits the bytes read of a list.
const maxList = 16 << 20

// Created are the times at which objects were created.
type Created struct {
	Items []struct {
		Metadata struct{ CreationTimestamp time.Time }
	}
}

// DeleteAll deletes the objects of a kind in a namespace that a selector of labels selects, with their dependents. It
// needs only the permission deletecollection. That the cluster does not serve the kind is no error.
func (c *Client) DeleteAll(ctx context.Context, kind Kind, namespace, selector string) error {
	query := url.Values{"labelSelector": {selector}, "propagationPolicy": {"Background"}}
	return c.deleteAll(ctx, Ref{Kind: kind, Namespace: namespace}, query, nil)
}

// Selected returns the objects that DeleteAll would delete, with the same permission: it is a dry run.
func (c *Client) Selected(ctx context.Context, kind Kind, namespace, selector string) (of Created, err error) {
	query := url.Values{"labelSelector": {selector}, "dryRun": {"All"}}
	return of, c.deleteAll(ctx, Ref{Kind: kind, Namespace: namespace}, query, &of)
}

func (c *Client) deleteAll(ctx context.Context, of Ref, query url.Values, result any) error {
	return c.retry(ctx, func() error {
		_, err := c.callHeader(ctx, request{
			verb: "deletecollection", method: http.MethodDelete, object: of, path: of.collection(), query: query, hasNoSecret: true,
		}, result, maxList)
		if isNotFound(err) {
			return nil
		}
		return err
	})
}
