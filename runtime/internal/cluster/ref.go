package cluster

import "net/url"

// Ref identifies an object.
type Ref struct {
	Kind            Kind
	Namespace, Name string
}

// Kind is a kind of object. The zero value is KindSecret.
type Kind int

// The kinds of objects that the helpers read.
const (
	KindSecret Kind = iota
	KindJob
)

func (k Kind) String() string {
	if k == KindJob {
		return "job"
	}
	return "secret"
}

// collection returns the path of the objects of the kind in the namespace.
func (r Ref) collection() string {
	namespace := url.PathEscape(r.Namespace)
	if r.Kind == KindJob {
		return "/apis/batch/v1/namespaces/" + namespace + "/jobs"
	}
	return "/api/v1/namespaces/" + namespace + "/secrets"
}

// path returns the path of the object.
func (r Ref) path() string { return r.collection() + "/" + url.PathEscape(r.Name) }
