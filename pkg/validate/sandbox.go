package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sandbox is a sandbox that is checked. The parts of its spec that several rules look at are listed with their paths.
type sandbox struct {
	*document.Sandbox
	checked

	workloads   []workload
	forks       []customizedFork
	environment []variable
	files       []file
	outputs     []outputReference
	endpoints   []endpoint
}

// workload is a workload that a sandbox names: of a fork, a local workload or a virtual one.
type workload struct {
	*v1alpha1.Workload
	list string // of the spec: forks, local or virtual
	path krm.Path
}

// customizedFork is a fork that has customizations, with the path of those.
type customizedFork struct {
	*v1alpha1.Fork
	path krm.Path
}

// variable is an environment variable of a fork or of a local workload.
type variable struct {
	*v1alpha1.Env
	path krm.Path
}

// file is a file of a local workload.
type file struct {
	*v1alpha1.LocalFile
	path krm.Path
}

// outputReference is a reference to an output of a resource: of a variable or of a file.
type outputReference struct {
	*v1alpha1.ResourceOutput
	path krm.Path
}

// endpoint is an endpoint of a fork, of a host, or of the default route group, which has neither a port nor a protocol.
type endpoint struct {
	name, protocol string
	port           int
	routed         bool // of the default route group
	path           krm.Path
}

// read decodes the document.
func (s *sandbox) read() {
	read, problems := document.ReadSandbox(s.item)
	s.Sandbox, s.checked = read, newChecked(s.item, problems)
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
	s.addOutputs()
	for i, e := range s.Spec.Endpoints {
		s.endpoints = append(s.endpoints, endpoint{name: e.Name, protocol: e.Protocol, port: e.Port, path: endpointPath(i)})
	}
	for i, e := range s.routeEndpoints() {
		s.endpoints = append(s.endpoints, endpoint{name: e.Name, routed: true, path: routeEndpointPath(i)})
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
	for i := range local.Files {
		s.files = append(s.files, file{LocalFile: &local.Files[i], path: path.Key("files").Index(i)})
	}
}

func (s *sandbox) addOutputs() {
	add := func(path krm.Path, output *v1alpha1.ResourceOutput) {
		if output != nil {
			path = path.Key("valueFrom").Key("resource")
			s.outputs = append(s.outputs, outputReference{ResourceOutput: output, path: path})
		}
	}
	for _, v := range s.environment {
		if v.ValueFrom != nil {
			add(v.path, v.ValueFrom.Resource)
		}
	}
	for _, f := range s.files {
		if f.ValueFrom != nil {
			add(f.path, f.ValueFrom.Resource)
		}
	}
}

func (s *sandbox) routeEndpoints() []v1alpha1.Endpoint {
	if s.Spec.DefaultRouteGroup == nil {
		return nil
	}
	return s.Spec.DefaultRouteGroup.Endpoints
}

func routeEndpointPath(i int) krm.Path { return krm.Path("spec.defaultRouteGroup.endpoints").Index(i) }

// unreadWorkload reports whether a part of the workload at path could not be read.
func (s *sandbox) unreadWorkload(path krm.Path) bool {
	return len(s.problems) > 0 &&
		(s.unsure(path) || s.unsure(path.Key("kind")) || s.unsure(path.Key("namespace")) || s.unsure(path.Key("name")))
}
