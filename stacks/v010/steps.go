package v010

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	v0 "github.com/resource-plugins/krm-functions/stacks/api/v0"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// app reads app.yaml. Icons of files that were read before are lost.
func (f *folder) app(file string, content []byte) error {
	var app v0.PackageMetadataSpec
	if err := decode(content, &app); err != nil {
		return fmt.Errorf("invalid app %q: %w", file, err)
	}
	f.stack.Spec.AppMetadataSpec = app.AppMetadataSpec
	f.hasApp = true
	if app.Version != "" {
		return nil
	}
	if image, err := reference.Parse(f.image); err == nil {
		if tagged, ok := image.(reference.Tagged); ok {
			f.stack.Spec.Version = tagged.Tag()
		}
	}
	return nil
}

func (f *folder) group(file string, content []byte) error {
	var group v0.StackGroup
	if err := decode(content, &group); err != nil {
		return fmt.Errorf("invalid group %q: %w", file, err)
	}
	f.groups[path.Dir(file)] = group
	return nil
}

func (f *folder) resource(file string, content []byte) error {
	var resource v0.StackResource
	if err := decode(content, &resource); err != nil {
		return fmt.Errorf("invalid resource %q: %w", file, err)
	}
	f.resources[file] = resource
	return nil
}

// crd reads a CRD. The scope of the package is that of the app.yaml that was read before, if any.
func (f *folder) crd(file string, content []byte) error {
	var crd v0.CustomResourceDefinition
	if err := decode(content, &crd); err != nil {
		return fmt.Errorf("invalid crd %q: %w", file, err)
	}
	isNamespaced := f.stack.Spec.PermissionScope == v1alpha1.ScopeNamespaced
	if scope := crd.Spec.Scope; isNamespaced && scope != "" && scope != v1alpha1.ScopeNamespaced {
		return fmt.Errorf("Stack CRD %q must be namespaced scope", file) //nolint:staticcheck // the text of crossplane
	}
	if crd.Labels == nil {
		crd.Labels = map[string]string{}
	}
	if crd.Annotations == nil {
		crd.Annotations = map[string]string{}
	}
	crd.Labels["app.kubernetes.io/managed-by"] = "stack-manager"
	crd.Labels["crossplane.io/scope"] = "environment"
	if isNamespaced {
		crd.Labels["crossplane.io/scope"] = "namespace"
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: crd.Spec.Version, Kind: crd.Spec.Names.Kind}
	f.crds[kind.String()] = packagedCRD{CustomResourceDefinition: &crd, dir: path.Dir(file)}
	f.stack.Spec.CRDs = append(f.stack.Spec.CRDs, v0.TypeMeta{Kind: kind.Kind, APIVersion: kind.GroupVersion().String()})
	return nil
}

// install reads the controller's Deployment; another kind is ignored.
func (f *folder) install(file string, content []byte) error {
	if len(content) == 0 {
		return nil
	}
	// Not decode: it never asks an Unmarshaler about null.
	text, err := yaml.YAMLToJSON(content)
	if err != nil {
		return fmt.Errorf("invalid install %q: error converting YAML to JSON: %w", file, asInV010(err))
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(text, &object); err != nil {
		return fmt.Errorf("invalid install %q: error unmarshaling JSON: %w", file, asInV010(err))
	}
	if object.GetKind() != "Deployment" {
		return nil
	}
	text, err = object.MarshalJSON()
	if err != nil {
		return err
	}
	var deployment v0.Deployment
	if err := json.Unmarshal(text, &deployment); err != nil {
		return asInV010(err)
	}
	f.stack.Spec.Controller.Deployment = &v0.ControllerDeployment{Spec: deployment.Spec}
	return nil
}

// mediaTypes are those of pictures, and of the other files that Go knew by their extensions. v0.10.0 also asked the machine.
var mediaTypes = map[string]string{
	".avif": "image/avif",
	".bmp":  "image/bmp",
	".gif":  "image/gif",
	".ico":  "image/vnd.microsoft.icon",
	".jpeg": "image/jpeg",
	".jpg":  "image/jpeg",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".tif":  "image/tiff",
	".tiff": "image/tiff",
	".webp": "image/webp",

	".css":  "text/css; charset=utf-8",
	".htm":  "text/html; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".mjs":  "text/javascript; charset=utf-8",
	".pdf":  "application/pdf",
	".wasm": "application/wasm",
	".xml":  "text/xml; charset=utf-8",
}

func (f *folder) icon(file string, content []byte) error {
	icon := v0.IconSpec{
		Base64IconData: base64.StdEncoding.EncodeToString(content),
		MediaType:      mediaTypes[strings.ToLower(path.Ext(file))],
	}
	if path.Dir(file) == f.dir {
		f.stack.Spec.Icons = append(f.stack.Spec.Icons, icon)
	}
	f.icons[file] = icon
	return nil
}

func (f *folder) schema(file string, content []byte) error {
	f.schemas[file] = string(content)
	return nil
}

// behavior reads behavior.yaml, which replaces the controller of an install.yaml that was read before.
func (f *folder) behavior(file string, content []byte) error {
	var behavior v0.Behavior
	if err := decode(content, &behavior); err != nil {
		return fmt.Errorf("invalid behavior configuration at %q: %w", file, err)
	}
	behavior.Source.Path = path.Clean(behavior.Source.Path)
	if behavior.Source.Path == "/" || behavior.Source.Path == "." {
		return errors.New("Behavior source path cannot be empty, '/', or '.'") //nolint:staticcheck // the text of crossplane
	}
	if behavior.Engine.ControllerImage == "" {
		behavior.Engine.ControllerImage = f.templatingImage
	}
	f.definition.Spec.Behavior, f.isTemplate = behavior, true
	f.stack.Spec.Controller.Deployment = &v0.ControllerDeployment{Spec: templating(behavior)}
	return nil
}

// templating returns the Deployment of a controller that runs an engine on the files of a template stack.
func templating(behavior v0.Behavior) v0.DeploymentSpec {
	const dir, volume = "/behaviors", "behaviors"
	mounts := []v0.VolumeMount{{Name: volume, MountPath: dir}}
	return v0.DeploymentSpec{
		Selector: &v0.LabelSelector{MatchLabels: map[string]string{}},
		Template: v0.PodTemplateSpec{Spec: v0.PodSpec{
			RestartPolicy: "Always",
			InitContainers: []v0.Container{{
				Name: "stack-behavior-copy-to-manager", Image: behavior.Source.Image,
				Command:      []string{"cp", "-R", strings.TrimRight(behavior.Source.Path, "/") + "/.", dir},
				VolumeMounts: mounts,
			}},
			Containers: []v0.Container{{
				Name: "stack-behavior-manager", Image: behavior.Engine.ControllerImage,
				Args: []string{
					"--resources-dir", dir, "--stack-definition-namespace", "$(SD_NAMESPACE)",
					"--stack-definition-name", "$(SD_NAME)",
				},
				VolumeMounts: mounts,
			}},
			Volumes: []v0.Volume{{Name: volume, VolumeSource: v0.VolumeSource{EmptyDir: &v0.EmptyDirVolumeSource{}}}},
		}},
	}
}
