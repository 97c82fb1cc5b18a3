package sandbox

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// input is a valid sandbox and its rendered objects. Its name is in lower case.
type input struct {
	*document.Sandbox
	options *Options

	id, key string
	// ownKey is set if an annotation gives the key.
	ownKey bool
	// generations are those of the steps whose outputs forks use, as far as their plugins are known.
	generations map[*v1alpha1.ResourceOutput]string
	// absent means that the sandbox is being removed: it no longer has forks.
	absent bool
	// last means that forks start when all create steps are done.
	last bool
	// created are variables of forks that have a value when all create steps are done; none if forks do not wait for that.
	created []corev1.EnvVar

	forks []*fork // those with a baseline, in the order of spec.forks
	// services are the forked Services, one for each baseline Service that selects a forked workload.
	services []routedService

	bindings []corev1.VolumeProjection // the outputs that forks get as files

	changes []render.Change
	results krm.Results
}

// routedGroup is a route group.
type routedGroup struct {
	*document.RouteGroup

	key string // the routing key
	// services are those of the workloads that its targets name, forked or not.
	services []routedService
}

// routedService is a Service of a workload, and its copy if the workload is forked.
type routedService struct {
	*frontend
	// workload is the baseline as documents name it in fork endpoints and in targets such as
	// http://NAME.NS.deploy:PORT.
	workload v1alpha1.Workload
	// fork is the name of the copy, empty for a group's services.
	fork string
}

// host returns the host name of the copy in the cluster's DNS.
func (s *routedService) host() string { return s.fork + "." + s.namespace + ".svc" }

// front returns the first Service of a fork with a port, or nil.
func (s *input) front(fork v1alpha1.Workload) *routedService {
	for i := range s.services {
		if service := &s.services[i]; service.workload.Plain() == fork.Plain() && len(service.ports) > 0 {
			return service
		}
	}
	return nil
}

func (s *input) report(at krm.Path, severity krm.Severity, message string) {
	s.results = append(s.results, krm.At(s.Item, at, severity, message))
}

// readInputs decodes sandboxes and route groups, and reports invalid annotations.
func readInputs(list *krm.ResourceList, items []*krm.Item, options *Options) (sandboxes []*input, groups []routedGroup) {
	read := make([]*input, len(items))
	krm.Each(len(items), func(i int) {
		if items[i].Kind() == contract.Sandbox {
			document, _ := document.ReadSandbox(items[i])
			document.Name = document.LowerName()
			read[i] = &input{Sandbox: document, options: options}
		}
	})
	ids := map[[2]string]string{}
	for i, s := range read {
		if s == nil {
			group, _ := document.ReadRouteGroup(items[i])
			if absent, _ := document.IsAbsent(items[i]); absent {
				continue
			}
			key, _ := readKey(list, items[i], group.Spec.Cluster)
			groups = append(groups, routedGroup{RouteGroup: group, key: key})
			continue
		}
		s.readAnnotations(list)
		key := [2]string{s.Spec.Cluster, s.id}
		if other, taken := ids[key]; taken {
			list.Report(krm.At(s.Item, document.IDPath(), krm.Error,
				fmt.Sprintf("must not be %q, which is the id of sandbox %q: remove one of the annotations", s.id, other)))
			continue
		}
		ids[key] = s.Item.Name()
		sandboxes = append(sandboxes, s)
	}
	return sandboxes, groups
}

func (s *input) readAnnotations(list *krm.ResourceList) {
	s.absent, _ = s.IsAbsent() // the rule sandbox-state has reported another value
	s.last, _ = s.ForksLast()  // and the rule fork-start
	var err error
	if s.id, err = s.ID(); err != nil {
		list.Report(krm.At(s.Item, document.IDPath(), krm.Error, err.Error()))
	}
	s.key, s.ownKey = readKey(list, s.Item, s.Spec.Cluster)
}

// readKey returns the routing key of a document, and whether an annotation gives it.
func readKey(list *krm.ResourceList, item *krm.Item, cluster string) (key string, given bool) {
	key, given, err := document.RoutingKey(item, cluster)
	if err != nil {
		list.Report(krm.At(item, document.RoutingKeyPath(), krm.Error, err.Error()))
	}
	return key, given
}
