// Pins the APIs whose CustomResourceDefinitions test/cluster/e2e installs; no code of theirs is built.
module github.com/resource-plugins/krm-functions/tools/crds

go 1.26.0

require (
	istio.io/api v1.31.1
	sigs.k8s.io/gateway-api v1.6.3
)
