package krm

import "github.com/resource-plugins/krm-functions/internal/strictyaml"

// Path names a field of a document as in a result's `field.path`: keys joined by dots, list indexes in brackets, and
// keys that are not plain quoted in brackets: `spec.create[0].inputs[1].as.env`,
// `metadata.annotations["resourceplugins.dev/digest"]`. The empty path is the document itself. Key and Index return the
// path of a field and of an element below a path, Find and FindKey the value and the key at it, Steps its steps.
type Path = strictyaml.Path

// Step is one step of a path: a key, or if that is empty the index of a list element.
type Step = strictyaml.Step
