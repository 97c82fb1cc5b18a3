package cluster

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// source reads the existing objects, from a cluster or from dumps.
type source struct {
	*statusFlags
	sandboxes []string       // as labels have them; empty for all
	render    *status.Render // nil without --render
	// absent are the kinds of engines that the cluster does not have.
	absent map[string]bool
	// memory has the Jobs that were seen; nil without --wait.
	memory *status.Memory
}

// judge returns the state of the render, or of the existing objects.
func (s *source) judge(objects *status.Objects) *status.Report {
	if s.render != nil {
		return s.render.Judge(objects)
	}
	return objects.Judge(s.sandboxes)
}

// now is the time that ages are counted to.
func (f *statusFlags) now(objects *status.Objects) metav1.Time {
	if len(f.dumps) > 0 {
		return objects.Newest()
	}
	return metav1.NewTime(time.Now())
}

func (s *source) readDumps(stdin io.Reader) (*status.Objects, error) {
	objects := &status.Objects{Namespace: s.namespace}
	for _, path := range s.dumps {
		var text []byte
		var err error
		if path == "-" {
			text, err = io.ReadAll(stdin)
		} else {
			text, err = os.ReadFile(path)
		}
		if err != nil {
			return nil, err
		}
		if err := objects.Read(text); err != nil {
			return nil, fmt.Errorf("%s %w", path, err)
		}
	}
	objects.LackUnread()
	return objects, nil
}

// look reads the objects that states depend on. Jobs are read before Secrets: a Job is complete after its outputs are
// published, so a step that publishes meanwhile does not seem to have lost them. A cleanup that deletes Secrets
// meanwhile can seem stale: states that need the user are read twice.
func (s *source) look() (*status.Report, *status.Objects, error) {
	for attempt := 0; ; attempt++ {
		objects := &status.Objects{}
		read := s.readSandboxes
		if s.render != nil {
			read = s.readRendered
		}
		if err := read(objects); err != nil {
			return nil, nil, err
		}
		if err := s.remember(objects); err != nil {
			return nil, nil, err
		}
		found := s.judge(objects)
		if attempt > 0 || !found.Status.NeedsUser() {
			return found, objects, nil
		}
	}
}

// readRendered reads the objects of the render.
func (s *source) readRendered(objects *status.Objects) error {
	get := []string{"get", "-f", "-", "--ignore-not-found", "-o"}
	for _, e := range engines.All() {
		var kinds []string
		for _, k := range e.Traits().Kinds {
			kinds = append(kinds, k.Name)
		}
		query := s.render.Query(kinds...)
		if len(query) == 0 {
			continue
		}
		err := s.read(objects, query, append(get, "json")...)
		if err != nil && strings.Contains(err.Error(), "no matches for kind") { // so none exists
			objects.Lack(kinds[0], "are not a kind that the cluster has: install its engine, then apply the render")
			continue
		}
		if err != nil {
			return err
		}
		if err := s.readParts(objects, e.Traits().Kinds); err != nil {
			return err
		}
	}
	if err := s.readHistory(objects); err != nil {
		return err
	}
	secrets := s.render.Query("Secret")
	if len(secrets) == 0 {
		return nil
	}
	return s.readOrLack(objects, "Secret", secrets, append(get, kubectl.MetadataOf("Secret"))...)
}

// readParts reads the objects that an engine has made of the workloads of the render, such as TaskRuns.
func (s *source) readParts(objects *status.Objects, kinds []engine.Kind) error {
	workloads := objects.Workloads(kinds[0].Name)
	for _, k := range kinds {
		if k.WorkloadLabel == "" {
			continue
		}
		for _, namespace := range slices.Sorted(maps.Keys(workloads)) {
			for names := range slices.Chunk(workloads[namespace], namesPerCall) {
				get := []string{"get", k.Resource, "-n", namespace, "-l", selectorOf(k.WorkloadLabel, names), "-o", "json"}
				if err := s.readOrLack(objects, k.Name, nil, get...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func selectorOf(label string, values []string) string {
	return fmt.Sprintf("%s in (%s)", label, strings.Join(values, ","))
}

// readSandboxes reads the objects with the labels of sandboxes.
func (s *source) readSandboxes(objects *status.Objects) error {
	selector := contract.SandboxKey
	if len(s.sandboxes) > 0 {
		selector = selectorOf(contract.SandboxKey, s.sandboxes)
	}
	get := func(resource, output string, where ...string) []string {
		return slices.Concat([]string{"get", resource}, where, []string{"-l", selector, "-o", output})
	}
	if err := s.read(objects, nil, get("jobs", "json", s.where()...)...); err != nil {
		return err
	}
	for _, e := range engines.All() {
		for _, k := range e.Traits().Kinds {
			if !k.IsCustom {
				continue
			}
			if err := s.readIfKnown(objects, k, get(k.Resource, "json", s.where()...)); err != nil {
				return err
			}
		}
	}
	if err := s.readOrLack(objects, "Pod", nil, get("pods", "json", s.where()...)...); err != nil {
		return err
	}
	if err := s.readOrLack(objects, "Secret", nil, get("secrets", kubectl.MetadataOf("Secret"), s.where()...)...); err != nil {
		return err
	}
	if !s.everywhere {
		for _, namespace := range objects.CopyTargets() {
			copies := get("secrets", kubectl.MetadataOf("Secret"), "-n", namespace)
			if err := s.readOrLack(objects, "Secret", nil, copies...); err != nil {
				return err
			}
		}
	}
	return s.readOrLack(objects, "ConfigMap", nil, get("configmaps", kubectl.MetadataOf("ConfigMap"), s.where()...)...)
}

// where is the namespace as arguments of kubectl.
func (f *statusFlags) where() []string {
	switch {
	case f.everywhere:
		return []string{"--all-namespaces"}
	case f.namespace != "":
		return []string{"-n", f.namespace}
	}
	return nil
}

// namesPerCall is how many names a selector has: an argument has at most 128 KiB.
const namesPerCall = 200

// explain adds the reasons why steps are not ready: the Pods of a render's workloads, and events.
func (s *source) explain(objects *status.Objects, found *status.Report) error {
	if names := found.Namespaces(); len(names) > 0 {
		// Many users may not read namespaces, which belong to the cluster. Without them, the states are known nevertheless.
		get := append([]string{"get", "namespaces", "--ignore-not-found", "-o", "json"}, names...)
		if text, err := s.kubectl.Run(nil, get...); err == nil {
			objects.ReadNamespaces(text)
		}
	}
	unready := found.Unready()
	for _, namespace := range slices.Sorted(maps.Keys(unready)) {
		get := []string{"get", "events", "-n", namespace, "--field-selector", "type=Warning", "-o", "json"}
		if err := s.readOrLack(objects, "Event", nil, get...); err != nil {
			return err
		}
		if s.render == nil {
			continue
		}
		for _, label := range slices.Sorted(maps.Keys(unready[namespace])) {
			for names := range slices.Chunk(unready[namespace][label], namesPerCall) {
				get := []string{"get", "pods", "-n", namespace, "-l", selectorOf(label, names), "-o", "json"}
				if err := s.readOrLack(objects, "Pod", nil, get...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readIfKnown is readOrLack for a kind that the cluster may not have. It is not asked for again.
func (s *source) readIfKnown(objects *status.Objects, k engine.Kind, get []string) error {
	if s.absent[k.Name] {
		return nil
	}
	err := s.readOrLack(objects, k.Name, nil, get...)
	if kubectl.IsUnknownKind(err) {
		if s.absent == nil {
			s.absent = map[string]bool{}
		}
		s.absent[k.Name] = true
		return nil
	}
	return err
}

// read adds the objects that kubectl prints.
func (s *source) read(objects *status.Objects, stdin []byte, arguments ...string) error {
	text, err := s.kubectl.Run(stdin, arguments...)
	if err != nil {
		return err
	}
	if err := objects.Read(text); err != nil {
		return fmt.Errorf("what kubectl prints %w", err)
	}
	return nil
}

// readOrLack is read, but notes objects that the user may not read as not known.
func (s *source) readOrLack(objects *status.Objects, kind string, stdin []byte, arguments ...string) error {
	err := s.read(objects, stdin, arguments...)
	if kubectl.IsForbidden(err) {
		objects.Lack(kind, "cannot be read: "+err.Error())
		return nil
	}
	return err
}
