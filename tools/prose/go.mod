module github.com/resource-plugins/krm-functions/tools/prose

go 1.26.0

require (
	github.com/golangci/misspell v0.8.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
