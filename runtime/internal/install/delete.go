package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// maxCustomResources is the number of custom resources of a kind that a message names.
const maxCustomResources = 3

// Delete removes the objects of the package in reverse order, each after the previous one is gone. It removes nothing
// while there are custom resources, since the cluster deletes them with their CRD.
func (t *Task) Delete(ctx context.Context) error {
	if err := t.refuseIfUsed(ctx, t.Installation.Custom); err != nil {
		return fmt.Errorf("nothing deleted: %w", err)
	}
	for _, of := range slices.Backward(t.Installation.Objects) {
		if isCRD(of) {
			if err := t.refuseIfUsed(ctx, t.customOf(of.Name)); err != nil {
				return err
			}
		}
		ref := t.ref(of)
		existed, err := t.Client.Remove(ctx, ref)
		switch {
		case err != nil:
			return err
		case existed:
			t.Log(fmt.Sprintf("deleted %s", ref))
		default:
			t.Log(fmt.Sprintf("%s did not exist", ref))
		}
	}
	return nil
}

// customOf returns the resources of a CRD.
func (t *Task) customOf(crd string) []unpacking.CustomResource {
	isOther := func(of unpacking.CustomResource) bool { return of.CRD != crd }
	return slices.DeleteFunc(slices.Clone(t.Installation.Custom), isOther)
}

// refuseIfUsed returns an error that names the custom resources of the kinds, if there are any.
func (t *Task) refuseIfUsed(ctx context.Context, kinds []unpacking.CustomResource) error {
	var used []string
	for _, of := range kinds {
		text, err := t.customResources(ctx, of)
		if err != nil {
			return err
		}
		if text != "" {
			used = append(used, text)
		}
	}
	if len(used) == 0 {
		return nil
	}
	return fmt.Errorf("custom resources must be deleted first, since the cluster deletes them with their CRD: %s",
		unpacking.Enumerate(used))
}

// customResources names objects of a kind, in any namespace.
func (t *Task) customResources(ctx context.Context, of unpacking.CustomResource) (string, error) {
	kind := cluster.Kind{Group: of.Group, Version: of.Version, Plural: of.Plural, Singular: of.Plural}
	items, err := t.Client.List(ctx, kind, maxCustomResources)
	if errors.Is(err, cluster.ErrNotServed) {
		return "", t.refuseOtherVersion(ctx, of)
	}
	names := make([]string, 0, len(items))
	for _, item := range items {
		name := item.Metadata.Name
		if item.Metadata.Namespace != "" {
			name = item.Metadata.Namespace + "/" + name
		}
		names = append(names, fmt.Sprintf("%q", name))
	}
	if err != nil || len(names) == 0 {
		return "", err
	}
	if len(names) == maxCustomResources {
		names = append(names, "…")
	}
	return of.CRD + " " + strings.Join(names, ", "), nil
}

// refuseOtherVersion is called if a kind is not served: either its CRD does not exist, or it belongs to another version
// of the package, whose custom resources cannot be listed.
func (t *Task) refuseOtherVersion(ctx context.Context, of unpacking.CustomResource) error {
	crd := crdRef(of.CRD)
	exists, err := t.Client.Exists(ctx, crd)
	if err == nil && exists {
		err = fmt.Errorf("%s must serve version %q, or its custom resources cannot be listed: delete what is installed with the "+
			"version of the package that installed it", crd, of.Version)
	}
	return err
}
