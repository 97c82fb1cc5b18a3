package test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// object is an object of the API as generic JSON.
type object = map[string]any

// state is the content of etcd.
type state struct {
	version  int
	objects  map[cluster.Ref]object
	watchers map[chan change]cluster.Ref
	// owners has the field managers of applied objects, by the path of the field.
	owners map[cluster.Ref]map[string]owner
	// lingering is the number of deletions of an object that do not remove it yet, because of its finalizers.
	lingering map[cluster.Ref]int
	// isSlow leaves new CRDs without status.
	isSlow bool
	// created is the clock for new Jobs.
	created func() time.Time
}

type change struct {
	kind   string
	object object
}

func newState() state {
	return state{
		objects: map[cluster.Ref]object{}, watchers: map[chan change]cluster.Ref{},
		owners: map[cluster.Ref]map[string]owner{}, lingering: map[cluster.Ref]int{}, created: time.Now,
	}
}

// Apply has the effect of kubectl apply with a Secret without data: it sets the annotations and keeps everything else.
func (s *Server) Apply(ref cluster.Ref, annotations map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, found := s.state.objects[ref]
	if !found {
		current = object{"metadata": object{"name": ref.Name, "namespace": ref.Namespace}, "type": "Opaque"}
	}
	patch := object{}
	for key, value := range annotations {
		patch[key] = value
	}
	s.state.store(ref, merge(current, object{"metadata": object{"annotations": patch}}))
}

// ApplyJob creates a Job with a status, or changes its status.
func (s *Server) ApplyJob(ref cluster.Ref, status object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.store(ref, object{"metadata": object{"name": ref.Name, "namespace": ref.Namespace}, "status": status})
}

// Put creates a Secret.
func (s *Server) Put(ref cluster.Ref, secret object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.store(ref, merge(object{"metadata": object{"name": ref.Name, "namespace": ref.Namespace}}, secret))
}

// Remove deletes an object.
func (s *Server) Remove(ref cluster.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.remove(ref)
}

// Get returns the stored Secret, or nil.
func (s *Server) Get(ref cluster.Ref) *cluster.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, found := s.state.objects[ref]
	if !found {
		return nil
	}
	text, _ := json.Marshal(stored)
	secret := &cluster.Secret{}
	_ = json.Unmarshal(text, secret)
	return secret
}

// patch applies a merge patch and returns the status of the real server.
func (st *state) patch(ref cluster.Ref, patch object) (object, int) {
	current, found := st.objects[ref]
	if !found {
		return nil, http.StatusNotFound
	}
	metadata, _ := patch["metadata"].(object)
	if version, given := metadata["resourceVersion"]; given && version != current["metadata"].(object)["resourceVersion"] {
		return nil, http.StatusConflict
	}
	next := merge(current, patch)
	if generation, ok := current["metadata"].(object)["generation"].(float64); ok && !reflect.DeepEqual(current["spec"], next["spec"]) {
		next = merge(next, object{"metadata": object{"generation": generation + 1}})
	}
	if current["immutable"] == true && !reflect.DeepEqual(current["data"], next["data"]) {
		return nil, http.StatusUnprocessableEntity
	}
	if size, ok := size(next["data"]); !ok || size > contract.MaxOutputBytes {
		return nil, http.StatusUnprocessableEntity
	}
	return st.store(ref, next), http.StatusOK
}

func size(data any) (total int, ok bool) {
	values, _ := data.(object)
	for _, value := range values {
		text, isText := value.(string)
		decoded, err := base64.StdEncoding.DecodeString(text)
		if !isText || err != nil {
			return 0, false
		}
		total += len(decoded)
	}
	return total, true
}

// store writes the object unless nothing changed, and notifies the watchers.
func (st *state) store(ref cluster.Ref, next object) object {
	current, found := st.objects[ref]
	if found && reflect.DeepEqual(current, next) {
		return current
	}
	st.version++
	next["metadata"].(object)["resourceVersion"] = strconv.Itoa(st.version)
	st.objects[ref] = next
	kind := "ADDED"
	if found {
		kind = "MODIFIED"
	}
	st.notify(ref, change{kind, next})
	return next
}

func (st *state) remove(ref cluster.Ref) bool {
	current, found := st.objects[ref]
	if found {
		delete(st.objects, ref)
		delete(st.owners, ref)
		st.version++
		st.notify(ref, change{"DELETED", current})
	}
	return found
}

func (st *state) notify(ref cluster.Ref, change change) {
	for watcher, watched := range st.watchers {
		if watched == ref {
			watcher <- change
		}
	}
}

// merge applies a merge patch (RFC 7396) without changing its arguments.
func merge(target, patch object) object {
	result := maps.Clone(target)
	if result == nil {
		result = object{}
	}
	for key, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(result, key)
		case object:
			below, _ := result[key].(object)
			result[key] = merge(below, value)
		default:
			result[key] = value
		}
	}
	return result
}
