// The program that lists the modules of released programs. A module of its own, outside the workspace, so that its
// dependencies meet nobody else's: what is released must not change with a developer's tool.
module github.com/resource-plugins/krm-functions/tools/sbom

go 1.26.0

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
