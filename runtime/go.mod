// Built in the workspace of ../go.work alone: internal/contract comes from the root module beside it. It is not required here,
// since a version that is not published cannot be resolved and a replace is not wanted.
module github.com/resource-plugins/krm-functions/runtime

go 1.26.0

require github.com/stretchr/testify v1.12.1

require (
	github.com/stretchr/objx v0.5.3 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)
