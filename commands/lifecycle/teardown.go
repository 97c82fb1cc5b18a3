package lifecycle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// Why the delete phase is not that of the cluster: it was rendered without undo, or not applied as a whole.
var (
	errNone  = errors.New("the cluster has no teardown of it")
	errStale = errors.New("in the cluster have another generation than its teardown there")
)

// teardown returns the delete phase that the cluster has, if it is unchanged since it was rendered, and all of it belongs to
// the sandbox, as the steps show it.
func (s *leftover) teardown() ([]byte, error) {
	switch len(s.undo) {
	case 0:
		return nil, errNone
	case 1:
	default:
		return nil, fmt.Errorf("the cluster has %d teardowns of it: delete those that are not of its last render", len(s.undo))
	}
	encoded, _, err := unstructured.NestedString(s.undo[0].Object, "binaryData", undo.DataKey)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("its teardown must be compressed: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxTeardown+1))
	if err != nil || len(text) > maxTeardown {
		return nil, errors.Join(err, errors.New("its teardown must be complete, and not larger than 64 MiB"))
	}
	sum := sha256.Sum256(text)
	if digest := s.undo[0].GetAnnotations()[undo.DigestKey]; digest != "sha256:"+hex.EncodeToString(sum[:]) {
		return nil, errors.New("its teardown has another digest than was recorded")
	}
	if err := eachObject(text, s.ownCheck(s.undo[0].GetNamespace())); err != nil {
		return nil, err
	}
	return text, s.checkGenerations(text)
}

// checkGenerations returns errStale unless the teardown, a text, is that of all steps that identify the sandbox.
func (s *leftover) checkGenerations(teardown []byte) error {
	known := map[v1alpha1.Phase]map[string]bool{v1alpha1.PhaseCreate: {}, v1alpha1.PhaseDelete: {}}
	for one := range strings.SplitSeq(s.undo[0].GetAnnotations()[undo.GenerationsKey], ",") {
		known[v1alpha1.PhaseCreate][one] = true
	}
	if err := eachObject(teardown, func(o *unstructured.Unstructured) error {
		maps.Copy(known[v1alpha1.PhaseDelete], undo.Generations(o.Object))
		return nil
	}); err != nil {
		return err
	}
	for _, one := range s.shown {
		for generation := range one.generations {
			if !known[one.phase][generation] {
				return fmt.Errorf("its %s steps %w", one.phase, errStale)
			}
		}
	}
	return nil
}

// maxTeardown limits the size of an expanded teardown, in bytes.
const maxTeardown = 64 << 20

// tornDown returns the kinds of objects that a delete phase has, whatever its engine.
func tornDown() map[schema.GroupKind]bool {
	kinds := map[schema.GroupKind]bool{
		{Kind: "ConfigMap"}: true, {Kind: "Secret"}: true, {Kind: "ServiceAccount"}: true, {Kind: jobs.Pod}: true,
		{Group: policyv1.GroupName, Kind: "PodDisruptionBudget"}: true,
		{Group: rbacv1.GroupName, Kind: "Role"}:                  true, {Group: rbacv1.GroupName, Kind: "RoleBinding"}: true,
	}
	for _, e := range engines.All() {
		for _, k := range e.Traits().Kinds {
			if slices.Contains(engines.Workloads(), k.Name) {
				kinds[schema.GroupKind{Group: k.Group, Kind: k.Name}] = true
			}
		}
	}
	return kinds
}

// ownCheck returns a check of the objects of the teardown in a namespace. A user who may write a ConfigMap there may have
// written the teardown, too: it must not reach into other namespaces, nor give the rights of a ClusterRole.
func (s *leftover) ownCheck(namespace string) func(o *unstructured.Unstructured) error {
	kinds := tornDown()
	return func(o *unstructured.Unstructured) error {
		id, isOwned := o.GetLabels()[contract.SandboxIDKey]
		isScript := !isOwned && o.GetKind() == "ConfigMap"
		role, _, _ := unstructured.NestedString(o.Object, "roleRef", "kind")
		var problem string
		switch {
		case !kinds[o.GroupVersionKind().GroupKind()]:
			problem = "is not an object of a delete phase"
		case !isScript && id != s.ID:
			problem = "belongs to another sandbox"
		case o.GetNamespace() != namespace:
			problem = fmt.Sprintf("is in namespace %q, and the teardown in %q", o.GetNamespace(), namespace)
		case role != "" && role != "Role":
			problem = "gives the rights of a " + role
		default:
			return nil
		}
		return fmt.Errorf("its teardown in the cluster is not used, since %s %s %q %s: render it from the commit",
			o.GetAPIVersion(), o.GetKind(), o.GetName(), problem)
	}
}
