package test

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// maxBody is the real server's limit for a patch.
const maxBody = 3 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.gate.pass()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return
	}
	call, ok := parse(r)
	if !ok {
		refuse(w, http.StatusMethodNotAllowed, body)
		return
	}
	s.mu.Lock()
	call.Number = len(s.calls) + 1
	s.calls = append(s.calls, call)
	authenticated := r.Header.Get("Authorization") == "Bearer "+s.token
	denied := s.deny[call.Verb+" "+call.Object.Kind.String()+" "+call.Object.Namespace+"/"+call.Object.Name] || !s.allows(r, call)
	var fault Fault
	if s.fault != nil {
		fault = s.fault(call)
	}
	s.mu.Unlock()
	switch {
	case fault != nil && fault(s, w, r, func() { s.handle(discard{}, r, call, body) }):
	case !authenticated:
		refuse(w, http.StatusUnauthorized, body)
	case denied:
		refuse(w, http.StatusForbidden, body)
	default:
		s.handle(w, r, call, body)
	}
}

// parse parses a request. A watch must select one object by name, and only objects of the unpacker are listed.
func parse(r *http.Request) (Call, bool) {
	query := r.URL.Query()
	call := Call{Query: r.URL.RawQuery, Agent: r.UserAgent()}
	isKnown := parsePath(r.URL.Path, &call.Object)
	isSecret := call.Object.Kind == cluster.KindSecret
	switch {
	case r.Method == http.MethodGet && query.Get("watch") == "1" && call.Object.Name == "":
		call.Verb = "watch"
		name, named := strings.CutPrefix(query.Get("fieldSelector"), "metadata.name=")
		call.Object.Name = name
		isKnown = isKnown && named
	case r.Method == http.MethodGet && call.Object.Name == "":
		call.Verb = "list"
		isKnown = isKnown && !isSecret && call.Object.Kind != cluster.KindJob
	case r.Method == http.MethodPatch && call.Object.Name != "":
		call.Verb = "patch"
	case r.Method == http.MethodDelete && call.Object.Name != "":
		call.Verb = "delete"
	case r.Method == http.MethodDelete && query.Get("labelSelector") != "" && call.Object.Namespace != "":
		call.Verb = "deletecollection"
	case r.Method == http.MethodPost && call.Object.Kind.Plural == "selfsubjectrulesreviews":
		call.Verb = "create"
	default:
		isKnown = false
	}
	return call, isKnown
}

// parsePath parses /api/v1/… or /apis/GROUP/VERSION/…, followed by an optional namespaces/NAMESPACE, and RESOURCE[/NAME].
func parsePath(path string, ref *cluster.Ref) bool {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) > 3 && parts[0] == "apis":
		ref.Kind.Group, ref.Kind.Version, parts = parts[1], parts[2], parts[3:]
	case len(parts) > 2 && parts[0] == "api":
		ref.Kind.Version, parts = parts[1], parts[2:]
	default:
		return false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		ref.Namespace, parts = parts[1], parts[2:]
	}
	ref.Kind.Plural, ref.Kind.Singular = parts[0], strings.TrimSuffix(parts[0], "s")
	if ref.Kind == (cluster.Kind{Version: "v1", Plural: "secrets", Singular: "secret"}) {
		ref.Kind = cluster.KindSecret
	}
	if len(parts) == 2 {
		ref.Name = parts[1]
	}
	return len(parts) <= 2
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request, call Call, body []byte) {
	s.mu.Lock()
	isServed := s.state.serves(call.Object.Kind)
	s.mu.Unlock()
	switch {
	case !isServed:
		refuse(w, http.StatusNotFound, nil)
	case call.Verb == "watch":
		s.watch(w, r, call.Object)
	case call.Verb == "patch" && r.Header.Get("Content-Type") == "application/apply-patch+yaml":
		s.apply(w, r, call.Object, body)
	case call.Verb == "patch":
		s.patch(w, r, call.Object, body)
	case call.Verb == "list":
		s.list(w, r, call.Object.Kind)
	case call.Verb == "deletecollection":
		s.deleteCollection(w, r, call.Object)
	case call.Verb == "create":
		s.review(w, body)
	case call.Verb == "delete":
		s.mu.Lock()
		found := s.state.delete(call.Object, r.URL.Query().Get("dryRun") == "All")
		s.mu.Unlock()
		if !found {
			refuse(w, http.StatusNotFound, nil)
			return
		}
		_, _ = io.WriteString(w, `{"kind":"Status","status":"Success"}`)
	}
}

func (s *Server) patch(w http.ResponseWriter, r *http.Request, ref cluster.Ref, body []byte) {
	patch := object{}
	switch {
	case r.Header.Get("Content-Type") != "application/merge-patch+json":
		refuse(w, http.StatusUnsupportedMediaType, body)
		return
	case len(body) > maxBody:
		refuse(w, http.StatusRequestEntityTooLarge, body)
		return
	case json.Unmarshal(body, &patch) != nil:
		refuse(w, http.StatusBadRequest, body)
		return
	}
	s.mu.Lock()
	stored, status := s.state.patch(ref, patch)
	text, _ := json.Marshal(stored)
	s.mu.Unlock()
	if status != http.StatusOK {
		refuse(w, status, body)
		return
	}
	_, _ = w.Write(text)
}

// watch sends the Secret and then its changes. It accepts only resourceVersion 0: without a version the real server on an
// old etcd responds with 504.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, ref cluster.Ref) {
	query := r.URL.Query()
	seconds, err := strconv.Atoi(query.Get("timeoutSeconds"))
	if query.Get("resourceVersion") != "0" || err != nil {
		refuse(w, http.StatusGatewayTimeout, nil)
		return
	}
	changes := make(chan change, 256)
	s.mu.Lock()
	if current, found := s.state.objects[ref]; found {
		changes <- change{"ADDED", current}
	}
	s.state.watchers[changes] = ref
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.state.watchers, changes)
		s.mu.Unlock()
	}()
	end := time.After(time.Duration(seconds) * time.Second)
	w.WriteHeader(http.StatusOK)
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-end:
			return
		case next := <-changes:
			s.gate.pass()
			s.mu.Lock()
			_ = json.NewEncoder(w).Encode(object{"type": next.kind, "object": next.object})
			s.mu.Unlock()
		}
	}
}

// refuse responds with a Status that quotes the request, as the real server's validation errors do.
func refuse(w http.ResponseWriter, code int, quoted []byte) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(status(code, quoted))
}

func status(code int, quoted []byte) object {
	return object{"kind": "Status", "status": "Failure", "code": code, "message": "Invalid value: " + string(quoted)}
}

// discard is a ResponseWriter without a client.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
