package sandbox

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/tree"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The kinds of takers that may take the Pods of forks too: neither sends them requests.
const (
	NetworkPolicy       = "NetworkPolicy"
	PodDisruptionBudget = "PodDisruptionBudget"
)

// Taker is an object that selects Pods.
type SelectingObject struct {
	Item     *krm.Item
	Selector Selector
	// Peers are what else of a NetworkPolicy selects Pods: those that it lets through.
	Peers []Selector
}

// readTaker reads what an object selects Pods by; it is false where it selects none.
func readTaker(item *krm.Item, spec *yaml.Node) (t SelectingObject, takes bool) {
	t.Item = item
	switch item.Kind() {
	case "Service", "ReplicationController":
		t.Selector, takes = ReadSelectorMap(tree.Get(spec, "selector"))
	case NetworkPolicy:
		t.Selector, takes = ReadSelector(tree.Get(spec, "podSelector"))
		takes = takes || tree.Get(spec, "podSelector") == nil // which takes every Pod
		t.Peers = append(peers(spec, "ingress", "from"), peers(spec, "egress", "to")...)
	default:
		t.Selector, takes = ReadSelector(tree.Get(spec, "selector"))
	}
	return t, takes
}

func peers(spec *yaml.Node, direction, side string) (found []Selector) {
	for _, rule := range tree.List(spec, direction) {
		for _, peer := range tree.List(rule, side) {
			if s, ok := ReadSelector(tree.Get(peer, "podSelector")); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// plan finds out how forks escape from what selects Pods in the namespace. Where not all can be escaped, what sends
// requests to Pods or owns them comes first; the order of the list does not count.
func (n *Namespace) plan() {
	slices.SortStableFunc(n.Takers, func(a, b SelectingObject) int {
		return cmp.Or(cmp.Compare(rank(a.Item), rank(b.Item)), cmp.Compare(a.Item.Kind(), b.Item.Kind()),
			cmp.Compare(a.Item.Name(), b.Item.Name()))
	})
	selectors := make([]Selector, len(n.Takers))
	for i := range n.Takers {
		selectors[i] = n.Takers[i].Selector
	}
	n.Escape = ExclusionFrom(selectors, IsOurs)
}

func rank(item *krm.Item) int {
	switch item.Kind() {
	case NetworkPolicy:
		return 2
	case PodDisruptionBudget:
		return 1
	}
	return 0
}

// IsOurs tells whether a label is one that every fork's Pods have, and no baseline's.
func IsOurs(key string) bool {
	return key == contract.ManagedByKey || strings.HasPrefix(key, contract.Group+"/")
}
