package install

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	pkgv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// needImages adds the images of a stack: the package, if a Job unpacks it, and its controller.
func (r *renderer) needImages(i *installation) {
	if r.options.Install == installJob {
		for _, image := range []string{r.options.UnpackerImage, r.options.HelperImage, i.chosen.Image()} {
			r.images[image] = true
		}
	}
	settings := r.settings(i)
	settings.Mirror = nil
	objects, err := pack.Install(i.unpacked(), settings, i.of.namespace)
	if err != nil {
		return // stacks reports it
	}
	for _, object := range objects {
		if object.GetKind() != "Deployment" {
			continue
		}
		for _, field := range []string{"initContainers", "containers"} {
			containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", field)
			for _, container := range containers {
				if name, _ := container.(map[string]any)["image"].(string); name != "" {
					r.images[name] = true
				}
			}
		}
	}
}

// needPackage adds the images of a package of pkg.crossplane.io: the package itself, and those that its metadata names.
func (r *renderer) needPackage(chosen *dependency.Chosen) {
	r.images[pinned(chosen)] = true
	if chosen.Content == nil {
		return
	}
	var meta struct {
		Spec struct {
			Controller pkgv1.ControllerMeta `json:"controller"`
			Image      string               `json:"image"`
		} `json:"spec"`
	}
	if decode(chosen.Content.Metadata, &meta) != nil {
		return
	}
	for _, name := range []string{meta.Spec.Controller.Image, meta.Spec.Image} {
		if name != "" {
			r.images[name] = true
		}
	}
}

// decode decodes a document, and ignores unknown fields.
func decode(item *krm.Item, into any) error {
	text, err := item.RNode().MarshalJSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
