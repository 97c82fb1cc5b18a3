package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// typePath is the path of the annotation with the type of a plugin.
var typePath = krm.Path("metadata.annotations").Key(contract.TypeKey)

// typeOutputs are the outputs of each type besides "type" and "provider", as docs/reference/outputs.md lists them.
var typeOutputs = map[string][]string{
	"etcd":                 {"host", "port", "username", "password", "prefix", "uri"},
	"kubernetes-namespace": {"uri", "namespace", "token"},
	"mysql":                {"host", "port", "username", "password", "database", "uri"},
	"nats":                 {"host", "port", "uri", "stream", "prefix"},
	"postgresql":           {"host", "port", "username", "password", "database", "uri"},
	"rabbitmq":             {"host", "port", "username", "password", "virtual-host", "uri"},
	"redis":                {"host", "port", "username", "password", "prefix", "uri"},
	"s3":                   {"host", "port", "uri", "bucket", "region", "access-key-id", "secret-access-key"},
	"server":               {"host", "port", "password", "uri"},
}

var outputType = Rule{
	ID: "output-type", Severity: krm.Warning,
	Summary: "A plugin with the annotation resourceplugins.dev/type has a create step with the outputs of that type; of a " +
		"type that is not listed, with the output `type`.",
	Why:     "Sandboxes can then use any plugin of the type without other changes.",
	Sources: []string{outputsPage, "https://servicebinding.io/spec/core/1.1.0/"},
	Example: "metadata.annotations: {resourceplugins.dev/type: postgresql}",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		declared, isTyped := p.Item.Annotation(contract.TypeKey)
		if !isTyped || len(p.Spec.Create) == 0 {
			return
		}
		step, missing := "", []string(nil)
		for i := range p.Spec.Create {
			lacks := append([]string{"type"}, typeOutputs[declared]...)
			for _, out := range p.Spec.Create[i].Outputs {
				lacks = slices.DeleteFunc(lacks, func(name string) bool { return name == out.Name })
			}
			if len(lacks) == 0 {
				return
			}
			if missing == nil || len(lacks) < len(missing) {
				step, missing = p.Spec.Create[i].Name, lacks
			}
		}
		p.Report(r, typePath, "step %q must have all outputs of the type %q: it lacks %s",
			step, declared, strictyaml.Listed(missing))
	})},
}
