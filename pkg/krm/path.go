package krm

import "github.com/resource-plugins/krm-functions/pkg/krm/field"

// Path names a field of a document, such as `spec.create[0].inputs[1].as.env`.
type Path = field.Path

// Step is one step of a path.
type Step = field.Step
