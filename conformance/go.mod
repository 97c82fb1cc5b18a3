// Tests any KRM function against the KRM Functions Specification. It imports no other module of this repository, so that it
// judges them as it judges any other function.
module github.com/resource-plugins/krm-functions/conformance

go 1.26.0

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/spf13/pflag v1.0.10
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.6
)

require golang.org/x/text v0.40.0 // indirect
