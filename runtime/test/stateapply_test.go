package test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// owner has the managers of a field: those that applied it, or the one that last changed it otherwise.
type owner struct {
	appliers []string
	editor   string
}

var (
	crds = cluster.Kind{
		Group: "apiextensions.k8s.io", Version: "v1", Plural: "customresourcedefinitions", Singular: "customresourcedefinition",
	}
	builtIn = []string{"/v1", "apps/v1", "batch/v1", "policy/v1", "rbac.authorization.k8s.io/v1", "apiextensions.k8s.io/v1",
		"authorization.k8s.io/v1"}
)

// serves reports whether a kind is built in or served by a CRD.
func (st *state) serves(kind cluster.Kind) bool {
	if kind == cluster.KindSecret || slices.Contains(builtIn, kind.Group+"/"+kind.Version) {
		return true
	}
	crd, found := st.objects[cluster.Ref{Kind: crds, Name: kind.Plural + "." + kind.Group}]
	if !found {
		return false
	}
	spec, _ := crd["spec"].(object)
	versions, _ := spec["versions"].([]any)
	return slices.ContainsFunc(versions, func(version any) bool { return version.(object)["name"] == kind.Version })
}

// apply implements server-side apply, with lists as atomic fields.
func (s *Server) apply(w http.ResponseWriter, r *http.Request, ref cluster.Ref, body []byte) {
	intent := object{}
	metadata, ok := object(nil), false
	if json.Unmarshal(body, &intent) == nil {
		metadata, ok = intent["metadata"].(object)
	}
	if !ok || metadata["name"] != ref.Name || metadata["managedFields"] != nil || intent["apiVersion"] == nil || intent["kind"] == nil {
		refuse(w, http.StatusBadRequest, body)
		return
	}
	manager, force := r.URL.Query().Get("fieldManager"), r.URL.Query().Get("force") == "true"
	s.mu.Lock()
	_, existed := s.state.objects[ref]
	conflicts := s.state.apply(ref, intent, manager, force)
	text, _ := json.Marshal(s.state.objects[ref])
	s.mu.Unlock()
	switch {
	case len(conflicts) > 0:
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(object{
			"kind": "Status", "status": "Failure", "reason": "Conflict", "code": http.StatusConflict,
			"message": "Apply failed with " + strconv.Itoa(len(conflicts)) + " conflicts", "details": object{"causes": conflicts},
		})
		return
	case !existed:
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = w.Write(text)
}

func (st *state) apply(ref cluster.Ref, intent object, manager string, force bool) (conflicts []object) {
	current, owners := st.objects[ref], maps.Clone(st.owners[ref])
	if owners == nil {
		owners = map[string]owner{}
	}
	before, after := flatten("", current), flatten("", intent)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		of := owners[path]
		others := slices.DeleteFunc(append(slices.Clone(of.appliers), of.editor), func(name string) bool { return name == manager || name == "" })
		isSame := reflect.DeepEqual(before[path], after[path])
		switch {
		case isSame || len(others) == 0:
			if !slices.Contains(of.appliers, manager) {
				of.appliers = append(slices.Clone(of.appliers), manager)
			}
		case force:
			of = owner{appliers: []string{manager}}
		default:
			conflicts = append(conflicts, object{
				"reason": "FieldManagerConflict", "field": path, "message": `conflict with "` + others[0] + `"`,
			})
		}
		owners[path] = of
	}
	if len(conflicts) > 0 {
		return conflicts
	}
	next := merge(current, intent)
	for path, of := range owners { // fields that the manager no longer applies
		if _, applied := after[path]; !applied && reflect.DeepEqual(of.appliers, []string{manager}) {
			prune(next, strings.Split(path, "\x00"))
			delete(owners, path)
		}
	}
	st.owners[ref] = owners
	st.finish(ref, next)
	return nil
}

// finish adds the fields that the server sets, and stores the object.
func (st *state) finish(ref cluster.Ref, next object) {
	managers := map[string]string{}
	for _, of := range st.owners[ref] {
		for _, name := range of.appliers {
			managers[name] = "Apply"
		}
		if of.editor != "" {
			managers[of.editor] = "Update"
		}
	}
	fields := []any{}
	for _, name := range slices.Sorted(maps.Keys(managers)) {
		fields = append(fields, object{"manager": name, "operation": managers[name]})
	}
	next = merge(next, object{"metadata": object{"managedFields": fields}})
	if _, found := st.objects[ref]; !found && ref.Kind == cluster.KindJob {
		next = merge(next, object{"metadata": object{"creationTimestamp": st.created().UTC().Format(time.RFC3339), "uid": ref.Name}})
	}
	if ref.Kind == crds && next["status"] == nil && !st.isSlow {
		next["status"] = established
	}
	st.store(ref, next)
}

var established = object{"conditions": []any{
	object{"type": "NamesAccepted", "status": "True"}, object{"type": "Established", "status": "True"},
}}

// Edit changes an object like another client, which then owns the fields.
func (s *Server) Edit(ref cluster.Ref, manager string, patch object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, found := s.state.objects[ref]
	if !found {
		current = object{"metadata": object{"name": ref.Name, "namespace": ref.Namespace}}
		s.state.owners[ref] = map[string]owner{}
	}
	for path := range flatten("", patch) {
		s.state.owners[ref][path] = owner{editor: manager}
	}
	s.state.finish(ref, merge(current, patch))
}

// SetSlow leaves new CRDs without status until SetStatus.
func (s *Server) SetSlow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.isSlow = true
}

// SetStatus sets the status of an object.
func (s *Server) SetStatus(ref cluster.Ref, status object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.store(ref, merge(s.state.objects[ref], object{"status": status}))
}

// Linger makes a number of deletions of an object only start its deletion.
func (s *Server) Linger(ref cluster.Ref, deletions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.lingering[ref] = deletions
}

// Object returns a stored object, or nil.
func (s *Server) Object(ref cluster.Ref) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.objects[ref]
}

// delete reports whether the object existed.
func (st *state) delete(ref cluster.Ref, isDryRun bool) bool {
	current, found := st.objects[ref]
	switch {
	case !found || isDryRun:
		return found
	case st.lingering[ref] > 0:
		st.lingering[ref]--
		st.store(ref, merge(current, object{"metadata": object{"deletionTimestamp": "2026-01-01T00:00:00Z"}}))
		return true
	default:
		return st.remove(ref)
	}
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, kind cluster.Kind) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	s.mu.Lock()
	items := []object{}
	for ref, found := range s.state.objects {
		if ref.Kind == kind && len(items) < limit {
			items = append(items, found)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(items, func(a, b object) int {
		return strings.Compare(a["metadata"].(object)["name"].(string), b["metadata"].(object)["name"].(string))
	})
	_ = json.NewEncoder(w).Encode(object{"items": items})
}

// flatten returns the fields of an object by their paths, except those that identify it or that the server sets.
func flatten(path string, of object) map[string]any {
	fields := map[string]any{}
	for name, value := range of {
		at := name
		if path != "" {
			at = path + "\x00" + name
		}
		below, isObject := value.(object)
		switch {
		case slices.Contains([]string{"apiVersion", "kind", "status"}, at), path == "metadata" && name != "labels" && name != "annotations":
		case isObject:
			maps.Copy(fields, flatten(at, below))
		default:
			fields[at] = value
		}
	}
	return fields
}

func prune(of object, path []string) {
	if below, isObject := of[path[0]].(object); isObject && len(path) > 1 {
		prune(below, path[1:])
		return
	}
	delete(of, path[0])
}
