package load

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const (
	// listGroup is the API group of a ResourceList.
	listGroup    = "config.kubernetes.io"
	resourceList = "ResourceList"
	listSuffix   = "List"
	// maxLists is how deep lists may be in lists.
	maxLists = 8
)

// mayHoldOurs reports whether the text of a list may hold objects of ours: their group may be written plainly, with
// escapes or in base64.
func (o Options) mayHoldOurs(text []byte) bool {
	for _, mark := range append(o.groups(), `\`, "binary") {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// isList reports whether an object is a list that orchestrators replace by its items: a ResourceList, or a list whose kind
// ends in List, such as a List of v1, and which has items.
func isList(object *yaml.Node) bool {
	item := krm.FromNode(object, "")
	if strings.HasPrefix(item.APIVersion(), listGroup+"/") && item.Kind() == resourceList {
		return true
	}
	items := krm.Value(object, "items")
	return strings.HasSuffix(item.Kind(), listSuffix) && items != nil && items.Kind == yaml.SequenceNode
}

// object adds an object, of a list its items.
func (r *reader) object(root *yaml.Node, lists int) {
	switch {
	case !isList(root) || r.source.objectsOnly:
		r.documents = append(r.documents, Document{Item: krm.FromSource(root, r.places)})
	case lists == maxLists:
		r.report(root.Line, root.Column, krm.Error, fmt.Sprintf("lists must not be nested deeper than %d", maxLists))
	default:
		r.items(root, lists+1)
	}
}

// items adds the objects of a list. In a folder, problems of a list count only if it has objects of ours.
func (r *reader) items(list *yaml.Node, lists int) {
	report := r.report
	if !r.source.Named && !r.options.hasOurVersion(r.chunk.text) {
		report = func(int, int, krm.Severity, string) {}
	}
	kind := krm.FromNode(list, "").Kind()
	if config := krm.Value(list, "functionConfig"); kind == resourceList && config != nil && len(config.Content) > 0 {
		report(config.Line, config.Column, krm.Warning,
			"functionConfig has no effect on a list that is read as a file: give its fields as flags")
	}
	items := krm.Value(list, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		report(list.Line, list.Column, krm.Error, fmt.Sprintf("items of a %s must be a list", kind))
		return
	}
	for i, item := range items.Content {
		if item = dereference(item); item.Kind != yaml.MappingNode {
			report(item.Line, item.Column, krm.Error, fmt.Sprintf("items[%d] of a %s must be a mapping", i, kind))
			continue
		}
		r.object(item, lists)
	}
}
