package cluster

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// applyPatch is the content type of server-side apply. JSON is YAML.
const applyPatch = "application/apply-patch+yaml"

// ErrNotServed is the error of a request for a kind, or an object of a kind, that the cluster does not serve.
var ErrNotServed = errors.New("the cluster does not serve its kind")

// Application is an object to apply.
type Application struct {
	Object Ref
	// Manager is the field manager.
	Manager string
	// Body is the object as JSON.
	Body []byte
	// IsOptional returns ErrNotServed at once if the cluster does not serve the kind.
	IsOptional bool
	// IsOurs reports whether to override conflicts with other field managers: the object was applied by us and changed
	// afterwards. Otherwise the object belongs to another tool, and a conflict is an error.
	IsOurs func(Owners) bool
}

// Owners are the field managers of an object.
type Owners struct {
	Labels map[string]string
	// Appliers are the field managers that have applied it (server-side).
	Appliers []string
}

// stored has the metadata of an object that is read after it was applied.
type stored struct {
	Metadata struct {
		Labels            map[string]string
		DeletionTimestamp string
		ManagedFields     []struct{ Manager, Operation string }
	}
}

func (s *stored) owners() Owners {
	owners := Owners{Labels: s.Metadata.Labels}
	for _, fields := range s.Metadata.ManagedFields {
		if fields.Operation == "Apply" {
			owners.Appliers = append(owners.Appliers, fields.Manager)
		}
	}
	return owners
}

// Apply creates or changes an object with server-side apply. It needs the permissions patch and create for its name. An
// object that is being deleted is applied again when it is gone.
func (c *Client) Apply(ctx context.Context, a Application) error {
	return c.retry(ctx, func() error {
		err := c.applyOnce(ctx, a, false)
		var failure *Failure
		switch {
		case !errors.As(err, &failure):
			return err
		case failure.Code == http.StatusNotFound && a.IsOptional:
			return ErrNotServed
		case len(failure.Conflicts) == 0:
			return err
		}
		object := &stored{}
		if err := c.call(ctx, a.request(mergePatch, []byte("{}"), nil), object); err != nil {
			return err
		}
		if !a.IsOurs(object.owners()) {
			return err
		}
		return c.applyOnce(ctx, a, true)
	})
}

func (c *Client) applyOnce(ctx context.Context, a Application, force bool) error {
	object := &stored{}
	query := url.Values{"force": {strconv.FormatBool(force)}}
	if err := c.call(ctx, a.request(applyPatch, a.Body, query), object); err != nil {
		return err
	}
	if object.Metadata.DeletionTimestamp != "" {
		return &Failure{Verb: "patch", Object: a.Object, Reason: "it is being deleted"}
	}
	return nil
}

// request returns a patch of the object. An empty merge patch reads it, which needs no further permission.
func (a Application) request(bodyType string, body []byte, query url.Values) request {
	if query == nil {
		query = url.Values{}
	}
	query.Set("fieldManager", a.Manager)
	return request{
		verb: "patch", method: http.MethodPatch, object: a.Object, path: a.Object.path(), query: query,
		body: body, bodyType: bodyType, hasNoSecret: true,
	}
}
