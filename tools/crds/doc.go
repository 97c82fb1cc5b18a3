// Package crds pins the APIs whose CustomResourceDefinitions `make e2e` installs; their code is not built.
package crds
