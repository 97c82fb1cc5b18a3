package cluster

import (
	"fmt"
	"net/url"
)

// Ref identifies an object.
type Ref struct {
	Kind Kind
	// Namespace is empty for objects of the cluster.
	Namespace string
	Name      string
}

// String identifies the object in messages, or all objects of the kind if Name is empty.
func (r Ref) String() string {
	if r.Name == "" {
		return r.Kind.orSecret().Plural
	}
	if r.Namespace == "" {
		return fmt.Sprintf("%s %q", r.Kind, r.Name)
	}
	return fmt.Sprintf("%s %q in namespace %q", r.Kind, r.Name, r.Namespace)
}

// Kind is a kind of object, as in the paths of the API. The zero value is KindSecret.
type Kind struct {
	// Group is empty for the core group.
	Group, Version string
	// Plural is the name in paths, such as deployments.
	Plural string
	// Singular is the name in messages, such as deployment.
	Singular string
}

// The kinds of objects that the helpers read.
var (
	KindSecret = Kind{}
	KindJob    = Kind{Group: "batch", Version: "v1", Plural: "jobs", Singular: "job"}
	KindBudget = Kind{Group: "policy", Version: "v1", Plural: "poddisruptionbudgets", Singular: "poddisruptionbudget"}
)

var secret = Kind{Version: "v1", Plural: "secrets", Singular: "secret"}

func (k Kind) orSecret() Kind {
	if k == KindSecret {
		return secret
	}
	return k
}

func (k Kind) String() string { return k.orSecret().Singular }

// collection returns the path of the objects of the kind in the namespace, or in the cluster.
func (r Ref) collection() string {
	kind := r.Kind.orSecret()
	path := "/api/" + url.PathEscape(kind.Version)
	if kind.Group != "" {
		path = "/apis/" + url.PathEscape(kind.Group) + "/" + url.PathEscape(kind.Version)
	}
	if r.Namespace != "" {
		path += "/namespaces/" + url.PathEscape(r.Namespace)
	}
	return path + "/" + url.PathEscape(kind.Plural)
}

// path returns the path of the object.
func (r Ref) path() string { return r.collection() + "/" + url.PathEscape(r.Name) }
