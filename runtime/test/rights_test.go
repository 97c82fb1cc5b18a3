package test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// allows reports whether the client's rights allow a request. Server-side apply of an object that does not exist also needs the right
// to create it.
func (s *Server) allows(r *http.Request, call Call) bool {
	if s.rights == nil || call.Object.Kind.Group == "authorization.k8s.io" {
		return true
	}
	verbs := []string{call.Verb}
	if _, exists := s.state.objects[call.Object]; !exists && strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch") {
		verbs = append(verbs, "create")
	}
	for _, verb := range verbs {
		if !slices.ContainsFunc(s.rights[call.Object.Namespace], func(rule cluster.Rule) bool { return allow(rule, verb, call.Object) }) {
			return false
		}
	}
	return true
}

func allow(rule cluster.Rule, verb string, ref cluster.Ref) bool {
	plural := ref.Kind.Plural
	if ref.Kind == cluster.KindSecret {
		plural = "secrets"
	}
	return slices.Contains(rule.Verbs, verb) && slices.Contains(rule.APIGroups, ref.Kind.Group) && slices.Contains(rule.Resources, plural) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, ref.Name))
}

// review answers a SelfSubjectRulesReview.
func (s *Server) review(w http.ResponseWriter, body []byte) {
	var review struct{ Spec struct{ Namespace string } }
	if json.Unmarshal(body, &review) != nil || review.Spec.Namespace == "" {
		refuse(w, http.StatusBadRequest, body)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := s.now; {
	case now == nil:
	case now().IsZero():
		w.Header()["Date"] = nil
	default:
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
	}
	rules := []object{{"verbs": []string{"create"}, "apiGroups": []string{"authorization.k8s.io"}, "resources": []string{"selfsubjectrulesreviews"}}}
	for _, rule := range s.rights[review.Spec.Namespace] {
		rules = append(rules, object{
			"verbs": rule.Verbs, "apiGroups": rule.APIGroups, "resources": rule.Resources, "resourceNames": rule.ResourceNames,
		})
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(object{"status": object{"resourceRules": rules, "incomplete": false}})
}

// deleteCollection deletes the objects that a selector of labels selects, and responds with them.
func (s *Server) deleteCollection(w http.ResponseWriter, r *http.Request, of cluster.Ref) {
	query := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []object{}
	for ref, found := range s.state.objects {
		if ref.Kind != of.Kind || ref.Namespace != of.Namespace || !selects(query.Get("labelSelector"), found) {
			continue
		}
		items = append(items, found)
		if query.Get("dryRun") != "All" {
			s.state.remove(ref)
		}
	}
	_ = json.NewEncoder(w).Encode(object{"kind": "List", "items": items})
}

func selects(selector string, of object) bool {
	labels, _ := of["metadata"].(object)["labels"].(object)
	for one := range strings.SplitSeq(selector, ",") {
		key, value, _ := strings.Cut(one, "=")
		if labels[key] != value {
			return false
		}
	}
	return true
}

// collect deletes objects whose owner does not exist, as Kubernetes does.
func (s *Server) collect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for again := true; again; {
		again = false
		uids := map[any]bool{}
		for _, found := range s.state.objects {
			uids[found["metadata"].(object)["uid"]] = true
		}
		for ref, found := range s.state.objects {
			owners, _ := found["metadata"].(object)["ownerReferences"].([]any)
			if len(owners) > 0 && !uids[owners[0].(object)["uid"]] {
				again = s.state.remove(ref) || again
				if ref.Kind.Plural == "rolebindings" || ref.Kind.Plural == "roles" {
					delete(s.rights, ref.Namespace)
				}
			}
		}
	}
}

// setClock sets the server's clock.
func (s *Server) setClock(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = func() time.Time { return now }
	s.state.created = s.now
}
