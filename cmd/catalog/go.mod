// Built in the workspace of ../../go.work alone: the packages of the root module come from beside it. They are not
// required here, since a version that is not published cannot be resolved and a replace is not wanted.
module github.com/resource-plugins/krm-functions/cmd/catalog

go 1.26.0

require (
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/image-spec v1.1.1
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/pflag v1.0.10
	github.com/stretchr/testify v1.12.1
	oras.land/oras-go/v2 v2.6.4
)

require (
	github.com/Masterminds/semver/v3 v3.5.0 // indirect
	github.com/distribution/reference v0.6.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/term v0.45.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	golang.org/x/tools v0.47.0 // indirect
	mvdan.cc/sh/v3 v3.14.1 // indirect
)
