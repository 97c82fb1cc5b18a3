// What runs inside rendered Pods. It is built into images and never installed, so it takes what it shares with the renderer
// from the checkout: internal/contract, commands/lifecycle/expiry, and for the unpacker stacks/registry and stacks/unpacking.
module github.com/resource-plugins/krm-functions/runtime

go 1.26.0

require (
	github.com/resource-plugins/krm-functions v0.0.0
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.6
)

require (
	github.com/distribution/reference v0.6.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
)

replace github.com/resource-plugins/krm-functions => ../
