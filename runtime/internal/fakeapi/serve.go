package fakeapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// maxBody is what the real server takes of a patch.
const maxBody = 3 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.gate.pass()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return
	}
	call, ok := understand(r)
	if !ok {
		refuse(w, http.StatusMethodNotAllowed, body)
		return
	}
	s.mu.Lock()
	call.Number = len(s.calls) + 1
	s.calls = append(s.calls, call)
	authentic := r.Header.Get("Authorization") == "Bearer "+s.token
	denied := s.deny[call.Verb+" "+call.Secret.Namespace+"/"+call.Secret.Name]
	var fault Fault
	if s.fault != nil {
		fault = s.fault(call)
	}
	s.mu.Unlock()
	switch {
	case fault != nil && fault(s, w, r, func() { s.answer(discard{}, r, call, body) }):
	case !authentic:
		refuse(w, http.StatusUnauthorized, body)
	case denied:
		refuse(w, http.StatusForbidden, body)
	default:
		s.answer(w, r, call, body)
	}
}

// understand tells what is asked for; a watch is of one Secret only by its name in the field selector.
func understand(r *http.Request) (Call, bool) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/"), "/")
	query := r.URL.Query()
	call := Call{Query: r.URL.RawQuery, Agent: r.UserAgent()}
	switch {
	case len(parts) == 2 && r.Method == http.MethodGet && query.Get("watch") == "1":
		call.Verb = "watch"
		name, named := strings.CutPrefix(query.Get("fieldSelector"), "metadata.name=")
		call.Secret = cluster.Ref{Namespace: parts[0], Name: name}
		return call, named
	case len(parts) == 3 && r.Method == http.MethodPatch:
		call.Verb = "patch"
	case len(parts) == 3 && r.Method == http.MethodDelete:
		call.Verb = "delete"
	default:
		return call, false
	}
	call.Secret = cluster.Ref{Namespace: parts[0], Name: parts[2]}
	return call, parts[1] == "secrets"
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, call Call, body []byte) {
	switch call.Verb {
	case "watch":
		s.watch(w, r, call.Secret)
	case "patch":
		s.patch(w, r, call.Secret, body)
	case "delete":
		s.mu.Lock()
		found := s.state.remove(call.Secret)
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

// watch answers resourceVersion 0 alone: the Secret as it is, then its changes. Without a version the real server on an
// old etcd answers 504.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, ref cluster.Ref) {
	query := r.URL.Query()
	seconds, err := strconv.Atoi(query.Get("timeoutSeconds"))
	if query.Get("resourceVersion") != "0" || err != nil {
		refuse(w, http.StatusGatewayTimeout, nil)
		return
	}
	changes := make(chan change, 256)
	s.mu.Lock()
	if current, found := s.state.secrets[ref]; found {
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

// refuse answers with a Status that quotes the request, as the real server's validation errors do.
func refuse(w http.ResponseWriter, code int, quoted []byte) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(status(code, quoted))
}

func status(code int, quoted []byte) object {
	return object{"kind": "Status", "status": "Failure", "code": code, "message": "Invalid value: " + string(quoted)}
}

// discard takes an answer that nobody will see.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
