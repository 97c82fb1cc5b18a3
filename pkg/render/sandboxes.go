package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// sandbox is a sandbox that can be rendered.
type sandbox struct {
	*document.Sandbox
	// id is the id after which scripts name external resources.
	id string
	// routingKey is that of its requests; ownKey is set if an annotation gives it.
	routingKey string
	ownKey     bool
	// files are the resources' names in paths.
	files []string
	// isAbsent is set if the sandbox is to be removed: its delete phase is due.
	isAbsent bool
	// forksLast is set if its forks wait for all create steps.
	forksLast bool
	// skipped are the delete steps that are given up, by resource.
	skipped map[string][]string
	// used are the outputs that forks use by resource, once they are needed, and usedFiles those of all resources as files.
	used      map[string][]use
	usedFiles []use
	// record holds the choices of resolve-version, and unread the error if they cannot be read.
	record resolve.Record
	unread error
}

// moreFindings ends a message about a document that is not valid: only one finding is reported here.
const moreFindings = "; run validate-plugin for all findings"

// readSandboxes decodes the sandboxes and reports those that cannot be rendered. The error is that of one that is not valid
// YAML.
func readSandboxes(list *krm.ResourceList, items []*krm.Item) ([]*sandbox, error) {
	sandboxes := make([]*sandbox, len(items))
	results := make([]*krm.Result, len(items))
	errs := make([]error, len(items))
	krm.Each(len(items), func(i int) {
		if errs[i] = items[i].Parse(); errs[i] == nil {
			markInput(items[i])
			sandboxes[i], results[i] = readSandbox(items[i])
			items[i].Release()
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	var valid []*sandbox
	seen := map[[3]string]*sandbox{}
	for i, s := range sandboxes {
		if results[i] == nil {
			results[i] = s.repeats(seen)
		}
		if results[i] != nil {
			list.Report(*results[i])
			continue
		}
		valid = append(valid, s)
	}
	return valid, nil
}

func readSandbox(item *krm.Item) (*sandbox, *krm.Result) {
	document, problems := document.ReadSandbox(item)
	if broken := firstError(problems); broken != nil {
		return nil, refuse(item, broken.Path, broken.Message+moreFindings)
	}
	s := &sandbox{Sandbox: document}
	if s.Spec.Cluster == "" || s.Name == "" {
		return nil, refuse(item, "spec.cluster", "must be set"+moreFindings)
	}
	if result := s.readAnnotations(); result != nil {
		return nil, result
	}
	names := make(map[string]bool, len(s.Spec.Resources))
	for i, resource := range s.Spec.Resources {
		if resource.Name == "" || names[resource.Name] {
			return nil, refuse(item, resourcePath(i).Key("name"),
				fmt.Sprintf("must be a name that no other resource has, not %q", resource.Name)+moreFindings)
		}
		names[resource.Name] = true
	}
	s.nameFiles()
	s.record, s.unread = resolve.ReadRecord(item)
	return s, nil
}

// nameFiles gives each resource a name in paths. Names that differ in case alone must not share a file on a disk that
// folds them.
func (s *sandbox) nameFiles() {
	folded := make(map[string]int, len(s.Spec.Resources))
	for _, resource := range s.Spec.Resources {
		folded[strings.ToLower(resource.Name)]++
	}
	s.files = make([]string, len(s.Spec.Resources))
	for i, resource := range s.Spec.Resources {
		lower := strings.ToLower(resource.Name)
		if s.files[i] = resource.Name; folded[lower] > 1 || contract.FileName(lower) != lower {
			s.files[i] = contract.FileName(resource.Name)
		}
	}
}

// readAnnotations reads the properties of a sandbox that are not in its spec.
func (s *sandbox) readAnnotations() *krm.Result {
	var err error
	if s.isAbsent, err = s.IsAbsent(); err != nil {
		return refuse(s.Item, document.StatePath(), err.Error())
	}
	if s.id, err = s.ID(); err != nil {
		return refuse(s.Item, document.IDPath(), err.Error())
	}
	if s.routingKey, s.ownKey, err = document.RoutingKey(s.Item, s.Cluster()); err != nil {
		return refuse(s.Item, document.RoutingKeyPath(), err.Error())
	}
	if s.forksLast, err = s.ForksLast(); err != nil {
		return refuse(s.Item, document.ForkStartPath(), err.Error())
	}
	if text, _ := s.Item.Annotation(contract.SkipDeleteKey); text != "" {
		if s.skipped, err = document.SkippedSteps(text, &s.Spec); err != nil {
			return refuse(s.Item, document.SkipDeletePath(), err.Error())
		}
	}
	return nil
}

// repeats finds a sandbox of the same cluster that has the same name but for case, or the same id: the objects of both
// would have the same names.
func (s *sandbox) repeats(seen map[[3]string]*sandbox) *krm.Result {
	name, id := [3]string{s.Spec.Cluster, "name", s.LowerName()}, [3]string{s.Spec.Cluster, "id", s.id}
	if other := seen[name]; other != nil {
		return refuse(s.Item, "metadata.name", fmt.Sprintf("duplicate sandbox name %q in cluster %q (names are "+
			"case-insensitive): rename it or %q", s.Name, s.Spec.Cluster, other.Name))
	}
	if other := seen[id]; other != nil {
		return refuse(s.Item, document.IDPath(),
			fmt.Sprintf("must not be %q, which is the id of sandbox %q: remove one of the annotations", s.id, other.Name))
	}
	seen[name], seen[id] = s, s
	return nil
}

func refuse(item *krm.Item, at krm.Path, message string) *krm.Result {
	result := krm.At(item, at, krm.Error, message)
	return &result
}

func resourcePath(i int) krm.Path { return krm.Path("spec.resources").Index(i) }

// OneCluster returns the sandboxes of the named cluster, or of the only one: the objects rendered for a sandbox must
// not end up in another cluster. The error is krm.OptionErrors, of "cluster", if there are several clusters and none is
// named. If the named cluster has no sandbox, that is a warning, or with refuseEmpty such an error, too.
func OneCluster[S interface{ Cluster() string }](
	list *krm.ResourceList, sandboxes []S, cluster string, refuseEmpty bool,
) ([]S, error) {
	var clusters []string
	for _, s := range sandboxes {
		clusters = append(clusters, s.Cluster())
	}
	slices.Sort(clusters)
	clusters = slices.Compact(clusters)
	var wrong krm.OptionErrors
	switch {
	case cluster == "" && len(clusters) > 1:
		wrong.Add("cluster", "must be set, since there are sandboxes of several clusters: one of %s", strings.Join(clusters, ", "))
		return nil, wrong
	case cluster == "":
		return sandboxes, nil
	case len(clusters) == 0 || slices.Contains(clusters, cluster):
	case !refuseEmpty:
		list.Report(krm.NewResult(krm.Warning, fmt.Sprintf("no sandbox is of cluster %q: nothing is rendered", cluster)))
	default:
		known := strictyaml.Listed(clusters)
		if near, _ := strictyaml.Nearest(cluster, clusters); near != "" {
			known = strconv.Quote(near)
		}
		wrong.Add("cluster", "no sandbox is of cluster %q: did you mean %s? Give --allow-empty to render nothing", cluster, known)
		return nil, wrong
	}
	return ofCluster(sandboxes, cluster), nil
}

// ofCluster returns the sandboxes of a cluster, all if it is empty.
func ofCluster[S interface{ Cluster() string }](sandboxes []S, cluster string) []S {
	return slices.DeleteFunc(slices.Clone(sandboxes), func(s S) bool { return cluster != "" && s.Cluster() != cluster })
}
