package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sandbox is a sandbox being checked. Parts of its spec that several rules check are listed with their paths.
type sandbox struct {
	*document.Sandbox
	Document

	workloads   []workload
	forks       []customizedFork
	environment []variable
	sources     []valueSource
	endpoints   []endpoint
}

// workload is a workload in a sandbox: of a fork, a local workload or a virtual one.
type workload struct {
	*v1alpha1.Workload
	list string // in the spec: forks, local or virtual
	path krm.Path
}

// customizedFork is a fork with customizations, and their path.
type customizedFork struct {
	*v1alpha1.Fork
	path krm.Path
}

// variable is an environment variable of a fork or of a local workload.
type variable struct {
	*v1alpha1.Env
	path krm.Path
}

// valueSource is a valueFrom of a variable, or of a file of a local workload. If it is valid, at most one of the references
// is not nil.
type valueSource struct {
	path      krm.Path // of the variable or file
	value     string   // set in addition
	allowed   string   // the keys of the valueFrom
	resource  *v1alpha1.ResourceOutput
	fork      *v1alpha1.ForkExpression
	configMap *v1alpha1.KeysReference
	secret    *v1alpha1.KeysReference
}

func (v valueSource) from(key string) krm.Path { return v.path.Key("valueFrom").Key(key) }

// endpoint is an endpoint of a fork or a host, or of a route group or the default route group. The latter has a target, but
// neither a port nor a protocol.
type endpoint struct {
	name, protocol, target string
	port                   int
	routed                 bool // has a target
	path                   krm.Path
}

// read decodes the document.
func (s *sandbox) read() {
	read, problems := document.ReadSandbox(s.item)
	s.Sandbox, s.Document = read, newDocument(s.item, problems)
	for i := range s.Spec.Forks {
		s.addFork(&s.Spec.Forks[i], forkPath(i))
	}
	for i := range s.Spec.Local {
		s.addLocal(&s.Spec.Local[i], localPath(i))
	}
	for i := range s.Spec.Virtual {
		path := krm.Path("spec.virtual").Index(i).Key("workload")
		s.workloads = append(s.workloads, workload{Workload: &s.Spec.Virtual[i].Workload, list: "virtual", path: path})
	}
	s.addSources()
	for i, e := range s.Spec.Endpoints {
		s.endpoints = append(s.endpoints, endpoint{name: e.Name, protocol: e.Protocol, port: e.Port, path: endpointPath(i)})
	}
	if group := s.Spec.DefaultRouteGroup; group != nil {
		for i, e := range group.Endpoints {
			path := krm.Path("spec.defaultRouteGroup.endpoints").Index(i)
			s.endpoints = append(s.endpoints, endpoint{name: e.Name, target: e.Target, routed: true, path: path})
		}
	}
}

// check decodes and checks the document.
func (s *sandbox) check() {
	s.read()
	checksOf(func(r *Rule, check sandboxCheck) { check(r, s) })
}

func (s *sandbox) addFork(fork *v1alpha1.Fork, path krm.Path) {
	s.workloads = append(s.workloads, workload{Workload: &fork.ForkOf, list: "forks", path: path.Key("forkOf")})
	if fork.Customizations != nil {
		customizations := path.Key("customizations")
		s.forks = append(s.forks, customizedFork{Fork: fork, path: customizations})
		for i := range fork.Customizations.Env {
			s.environment = append(s.environment,
				variable{Env: &fork.Customizations.Env[i], path: customizations.Key("env").Index(i)})
		}
	}
	for i, e := range fork.Endpoints {
		path := path.Key("endpoints").Index(i)
		s.endpoints = append(s.endpoints, endpoint{name: e.Name, protocol: e.Protocol, port: e.Port, path: path})
	}
}

func (s *sandbox) addLocal(local *v1alpha1.LocalWorkload, path krm.Path) {
	s.workloads = append(s.workloads, workload{Workload: &local.From, list: "local", path: path.Key("from")})
	for i := range local.Env {
		s.environment = append(s.environment, variable{Env: &local.Env[i], path: path.Key("env").Index(i)})
	}
}

// addSources lists the sources of the variables, then those of the files.
func (s *sandbox) addSources() {
	for _, v := range s.environment {
		if from := v.ValueFrom; from != nil {
			s.sources = append(s.sources, valueSource{
				path: v.path, value: v.Value, allowed: "resource, fork, configMap and secret", resource: from.Resource, fork: from.Fork,
				configMap: (*v1alpha1.KeysReference)(from.ConfigMap), secret: (*v1alpha1.KeysReference)(from.Secret),
			})
		}
	}
	for i, local := range s.Spec.Local {
		for n, file := range local.Files {
			if from := file.ValueFrom; from != nil {
				s.sources = append(s.sources, valueSource{
					path: localPath(i).Key("files").Index(n), value: file.Value, allowed: "resource, configMap and secret",
					resource: from.Resource, configMap: from.ConfigMap, secret: from.Secret,
				})
			}
		}
	}
}

// unreadWorkload reports whether a part of the workload at path could not be read.
func (s *sandbox) unreadWorkload(path krm.Path) bool {
	return len(s.problems) > 0 &&
		(s.Unsure(path) || s.Unsure(path.Key("kind")) || s.Unsure(path.Key("namespace")) || s.Unsure(path.Key("name")))
}
