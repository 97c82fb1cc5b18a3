// What runs inside rendered Pods. It is built into an image and never installed, so it takes internal/contract, which it
// shares with the renderer, from the checkout.
module github.com/resource-plugins/krm-functions/runtime

go 1.26.0

require (
	github.com/resource-plugins/krm-functions v0.0.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.6 // indirect

replace github.com/resource-plugins/krm-functions => ../
