// Package crds pins the APIs whose CustomResourceDefinitions `make e2e` installs; no code of theirs is built.
package crds
