package function

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reportLeftOut tells what of a sandbox cannot be rendered into Kubernetes objects, an info each.
func (of *sandboxSubject) reportLeftOut() {
	leave := func(at krm.Path, format string, args ...any) {
		of.report(at, krm.Info, "not rendered: "+fmt.Sprintf(format, args...))
	}
	for i, local := range of.Spec.Local {
		leave(krm.Path("spec.local").Index(i), "%q runs on a workstation, and the tunnel to it is the vendor's", local.Name)
	}
	for i, virtual := range of.Spec.Virtual {
		leave(krm.Path("spec.virtual").Index(i), "%q takes part without a copy, which needs the vendor's proxies", virtual.Name)
	}
	for i, middleware := range of.Spec.Middleware {
		leave(krm.Path("spec.middleware").Index(i), "middleware %q runs in the vendor's proxies", middleware.Name)
	}
	if of.Spec.Routing != nil {
		for i, forward := range of.Spec.Routing.Forwards {
			leave(krm.Path("spec.routing.forwards").Index(i), "forward %q is a tunnel of the vendor's", forward.Name)
		}
	}
	if of.Spec.Connection != nil && of.Spec.Connection.DevboxID != "" {
		leave("spec.connection.devboxId", "the devbox is for local workloads alone")
	}
	if of.Spec.LocalMachineID != "" {
		leave("spec.localMachineID", "the machine is for local workloads alone")
	}
	if ttl := of.Spec.TTL; ttl != nil && of.timeToLive() == "" {
		leave("spec.ttl.offsetFrom", "no janitor knows when a sandbox was last updated; what is rendered has no end of its own")
	}
}
