package krm

import (
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/cores"
)

// parseOdd parses items that the scanner did not understand; all of them must be complete objects.
func parseOdd(items []*Item) bool {
	var failed atomic.Bool
	cores.Each(len(items), func(i int) {
		node, err := parseOne(items[i].raw())
		if err != nil || !isElement(node) {
			failed.Store(true)
			return
		}
		items[i].know(node.Content[0])
		items[i].odd = true
	})
	return !failed.Load()
}

func isElement(node *yaml.Node) bool {
	return node.Kind == yaml.SequenceNode && node.Style&yaml.FlowStyle == 0 && len(node.Content) == 1 &&
		node.Content[0].Kind == yaml.MappingNode
}
