package sandbox

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/tree"
)

// Port is a port of a Service.
type Port struct {
	Name, Protocol, AppProtocol string
	Number                      int
	// Target is the number of the container's port; 0 where it is not known.
	Target int
}

// Ports returns the ports of a Service in front of a workload, in their order.
func (w *Workload) Ports(s *BaselineService) []Port {
	nodes := tree.List(s.Tree, "spec", "ports")
	ports := make([]Port, 0, len(nodes))
	for _, node := range nodes {
		port := Port{
			Name: tree.String(node, "name"), Protocol: tree.String(node, "protocol"), AppProtocol: tree.String(node, "appProtocol"),
			Number: baselineNumber(tree.Get(node, "port")),
		}
		switch target := tree.Get(node, "targetPort"); {
		case target == nil:
			port.Target = port.Number
		case baselineNumber(target) != 0:
			port.Target = baselineNumber(target)
		default:
			port.Target = w.named(target.Value)
		}
		ports = append(ports, port)
	}
	return ports
}

// named returns the number of a container's port by its name, 0 where there is none.
func (w *Workload) named(name string) int {
	for _, container := range tree.List(w.Tree, "spec", "template", "spec", "containers") {
		for _, port := range tree.List(container, "ports") {
			if tree.String(port, "name") == name {
				return baselineNumber(tree.Get(port, "containerPort"))
			}
		}
	}
	return 0
}

func baselineNumber(node *yaml.Node) int {
	if node == nil {
		return 0
	}
	n, err := strconv.Atoi(node.Value)
	if err != nil {
		return 0
	}
	return n
}
