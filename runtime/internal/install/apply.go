package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Apply waits for the CRDs of other packages that the package needs. Then it applies the package's CRDs, and its other
// objects when these are established. The objects are those in a file of the unpacker.
func (t *Task) Apply(ctx context.Context, file string) error {
	objects, err := read(file)
	if err != nil {
		return fmt.Errorf("nothing applied: cannot read the objects of the package: %w", err)
	}
	bodies, err := match(t.Installation.Objects, objects)
	if err != nil {
		return fmt.Errorf("nothing applied: %w", err)
	}
	for _, name := range t.Installation.Requires {
		if err := t.waitEstablished(ctx, crdRef(name)); err != nil {
			return err
		}
	}
	var crds, others []unpacking.Object
	for _, of := range t.Installation.Objects {
		if isCRD(of) {
			crds = append(crds, of)
		} else {
			others = append(others, of)
		}
	}
	for _, of := range crds {
		if err := t.applyObject(ctx, of, bodies[of.Key]); err != nil {
			return err
		}
	}
	for _, of := range crds {
		if err := t.waitEstablished(ctx, t.ref(of)); err != nil {
			return err
		}
	}
	for _, of := range others {
		if err := t.applyObject(ctx, of, bodies[of.Key]); err != nil {
			return err
		}
	}
	return nil
}

// read reads the objects of an unpacked package.
func read(file string) ([]unpacking.Unpacked, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var objects []unpacking.Unpacked
	if err := json.Unmarshal(text, &objects); err != nil {
		return nil, fmt.Errorf("%s: the image of the unpacker must have the version of the manager: %w", file, err)
	}
	return objects, nil
}

// applyObject applies an object. It overrides conflicts with other field managers only for objects of this project.
func (t *Task) applyObject(ctx context.Context, of unpacking.Object, body []byte) error {
	ref := t.ref(of)
	err := t.Client.Apply(ctx, cluster.Application{
		Object: ref, Manager: unpacking.Manager, Body: body, IsOptional: of.IsOptional, IsOurs: isOurs,
	})
	var failure *cluster.Failure
	switch {
	case errors.Is(err, cluster.ErrNotServed):
		t.Log(fmt.Sprintf("did not apply %s: the cluster does not serve %s", ref, of.APIVersion))
		return nil
	case errors.As(err, &failure) && len(failure.Conflicts) > 0:
		return refuseConflict(ref, failure.Conflicts)
	case err != nil:
		return err
	}
	t.Log(fmt.Sprintf("applied %s", ref))
	return nil
}

// isOurs reports whether an object was created by this project: by a Job, or by a tool that applied rendered
// objects.
func isOurs(owners cluster.Owners) bool {
	return slices.Contains(owners.Appliers, unpacking.Manager) ||
		owners.Labels[contract.ManagedByKey] == contract.ManagedBy
}

func refuseConflict(ref cluster.Ref, conflicts []cluster.FieldConflict) error {
	first, more := conflicts[0], ""
	if len(conflicts) > 1 {
		more = fmt.Sprintf(" and %d more fields", len(conflicts)-1)
	}
	return fmt.Errorf("%s exists and belongs to another tool: %s%s: %s; delete it or rename it to install the package",
		ref, first.Field, more, first.Message)
}

// waitEstablished waits until the API server serves the objects of a CRD.
func (t *Task) waitEstablished(ctx context.Context, crd cluster.Ref) error {
	t.Log(fmt.Sprintf("waiting for %s to be established", crd))
	return t.Client.WatchConditions(ctx, crd, func(conditions []cluster.Condition, exists bool) (bool, error) {
		if !exists {
			return false, fmt.Errorf("%s was deleted: it must exist while a package that needs it is installed", crd)
		}
		for _, condition := range conditions {
			switch {
			case condition.Type == "NamesAccepted" && condition.Status == "False":
				return false, fmt.Errorf("%s must have names that no other CRD has: %s", crd, condition.Message)
			case condition.Type == "Established" && condition.Status == "True":
				return true, nil
			}
		}
		return false, nil
	})
}
