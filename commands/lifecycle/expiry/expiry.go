// Package expiry holds the contract of two programs: the renderer of the option expiry, which is in package undo, and
// the program in the cluster that tears down the sandboxes whose ttl has passed, which is in the runtime module. A
// sandbox has a Plan in the ConfigMap with its teardown, and a Role with the rights that the plan needs.
//
// A user who may write ConfigMaps could change the plan, but not the Role. So the Role has the digest of the plan, as
// the name of a resource that no API serves: see Sealed. The program learns from its own rights which sandboxes there
// are.
//
// It has no dependencies but package contract, since the runtime module shares it.
package expiry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

const (
	// Helper is the subcommand of the helper image.
	Helper = "expire"
	// PlanKey is the key of the ConfigMap's binaryData with the Plan: JSON, compressed with gzip.
	PlanKey = "expiry.json.gz"
	// MaxPlan limits the size of an expanded plan, in bytes.
	MaxPlan = 16 << 20
)

// Annotations of the ConfigMap, beside contract.TTLKey and contract.TTLOffsetKey, which repeat the plan for people.
const (
	// DocumentKey is a digest of the sandbox's spec, without the versions of plugins: a changed document changes the
	// ConfigMap, even if its teardown stays the same. By it the ConfigMap is known to be that of a document.
	DocumentKey = contract.Group + "/document-digest"
	// StateKey is the last result of the program.
	StateKey = contract.Group + "/expiry"
)

// The values of Plan.OffsetFrom.
const (
	CreatedAt = "createdAt"
	UpdatedAt = "updatedAt"
)

// The right that names a plan: the verb on a resource of the group contract.Group.
const (
	Verb     = "expire"
	Resource = "sandboxexpiries"
	// absent stands in for the digest of a sandbox that is absent.
	absent = "absent"
)

// Plan lists the actions of the program after the ttl of a sandbox.
type Plan struct {
	Sandbox string `json:"sandbox"`
	ID      string `json:"id"`
	// Seconds and OffsetFrom are the ttl.
	Seconds    int64  `json:"seconds"`
	OffsetFrom string `json:"offsetFrom"`
	// Forks are the namespaces from which objects of ForkKinds with the id of the sandbox are deleted first.
	Forks []string `json:"forks,omitempty"`
	// Apply are the PodDisruptionBudgets and Jobs of the delete phase. All else of it was applied with the create phase.
	Apply []json.RawMessage `json:"apply"`
	// Remove are the objects of both phases that are deleted when the Jobs are complete.
	Remove []Object `json:"remove"`
	// Roles are the other namespaces in which the program has a Role of the name of the ConfigMap.
	Roles []string `json:"roles,omitempty"`
}

// Kind is a kind of object, as in paths of the API.
type Kind struct {
	Group    string `json:"group,omitempty"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// Object identifies an object.
type Object struct {
	Kind

	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// ForkKinds are the kinds of forks and their routes that render-sandbox makes.
func ForkKinds() []Kind {
	return []Kind{
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"},
		{Version: "v1", Resource: "services"},
		{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"},
		{Group: "networking.istio.io", Version: "v1", Resource: "virtualservices"},
	}
}

// Sealed returns the name by which a Role has the plan in the ConfigMap of a name.
func Sealed(name string, plan []byte) string {
	sum := sha256.Sum256(plan)
	return name + "." + hex.EncodeToString(sum[:])
}

// SealedAbsent returns the name by which a Role has an absent sandbox, whose ConfigMap only has to be removed.
func SealedAbsent(name string) string { return name + "." + absent }

// Sealing is a name in a Role.
type Sealing struct {
	// Name is that of the ConfigMap, the Role and the RoleBinding.
	Name     string
	IsAbsent bool

	sealed string
}

// Read returns the parts of a name in a Role. The names of ConfigMaps that are rendered have no dots.
func Read(sealed string) (s Sealing, isSealing bool) {
	name, digest, found := strings.Cut(sealed, ".")
	isDigest := len(digest) == hex.EncodedLen(sha256.Size) || digest == absent
	return Sealing{Name: name, IsAbsent: digest == absent, sealed: sealed}, found && name != "" && isDigest
}

// Has reports whether the Role is that of a plan.
func (s Sealing) Has(plan []byte) bool { return s.sealed == Sealed(s.Name, plan) }

// Namespaces returns those in which a plan deletes or applies objects, beside its own.
func (p *Plan) Namespaces(own string) []string {
	all := slices.Concat(p.Forks, p.Roles)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(namespace string) bool { return namespace == own })
}
