// The controllers that deliver manifests, for end-to-end tests: versions to build, which no package imports. A module of its
// own, outside the workspace, so that its dependencies meet nobody else's.
module github.com/resource-plugins/krm-functions/tools/delivery

go 1.26.4

require (
	github.com/argoproj/argo-cd/v3 v3.2.2
	github.com/fluxcd/helm-controller v1.4.3
	github.com/fluxcd/helm-controller/api v1.4.3
	github.com/fluxcd/kustomize-controller v1.7.3
	github.com/fluxcd/kustomize-controller/api v1.7.3
	github.com/fluxcd/source-controller v1.7.3
	github.com/fluxcd/source-controller/api v1.7.3
)
