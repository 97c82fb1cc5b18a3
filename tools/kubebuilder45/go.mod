// Pins kubebuilder v4.5.1, the last release that tells external plugins neither the chain nor the project. A module of its own,
// so that its dependencies are not those of the project.
module github.com/resource-plugins/krm-functions/tools/kubebuilder45

go 1.26.0

tool sigs.k8s.io/kubebuilder/v4

require sigs.k8s.io/kubebuilder/v4 v4.5.1 // indirect

require (
	github.com/gobuffalo/flect v1.0.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/sirupsen/logrus v1.9.3 // indirect
	github.com/spf13/afero v1.12.0 // indirect
	github.com/spf13/cobra v1.9.1 // indirect
	github.com/spf13/pflag v1.0.6 // indirect
	golang.org/x/mod v0.23.0 // indirect
	golang.org/x/sync v0.11.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
	golang.org/x/text v0.22.0 // indirect
	golang.org/x/tools v0.30.0 // indirect
	sigs.k8s.io/yaml v1.4.0 // indirect
)
