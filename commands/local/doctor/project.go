package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/oci"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Project checks the project file, which may be nil, the documents below it, which may have failed to be read, and
// their lock.
func Project(file *cli.Project, items []*krm.Item, failed error, features []extension.Extension) []Check {
	found := Check{Part: PartProject, State: OK, Subject: "project file", Detail: file.Name()}
	if file == nil {
		found.State, found.Detail = Warning, "there is no "+cli.ProjectFile
		found.Action = "call this in the folder of your project, or make one with rplug new project"
	}
	documents := Check{Part: PartProject, State: OK, Subject: "documents"}
	if failed != nil {
		documents.State, documents.Detail = Missing, firstLine(failed)
		documents.Action = "see rplug validate"
		return []Check{found, documents}
	}
	list := krm.NewList(items...)
	plugins := len(list.Of(contract.APIVersion, contract.ResourcePlugin))
	sandboxes := len(list.Of(contract.APIVersion, contract.Sandbox))
	documents.Detail = report.Count(plugins, "plugin") + " and " + report.Count(sandboxes, "sandbox")
	return []Check{found, documents, lock(list, sandboxes, features)}
}

// lock checks that the lock has the versions that sandboxes refer to.
func lock(list *krm.ResourceList, sandboxes int, features []extension.Extension) Check {
	c := Check{Part: PartProject, State: OK, Subject: "lock", Detail: "it has all versions that sandboxes refer to"}
	switch {
	case len(list.Of(contract.APIVersion, contract.PluginLock)) > 0:
	case sandboxes == 0:
		c.Detail = "no sandbox needs one"
		return c
	default:
		c.State, c.Detail = Warning, "there is no PluginLock, so that a new version of a plugin changes the next render"
		c.Action = "rplug resolve --write-lock plugin-lock.yaml ."
		return c
	}
	options := resolve.Options{ResolveVersion: v1alpha1.ResolveVersion{Mode: resolve.Locked}}
	_, err := resolveversion.Resolve(list, options, features...)
	if err == nil {
		err = report.Refused(list.Results())
	}
	if err != nil {
		c.State, c.Detail, c.Action = Missing, firstLine(err), "see rplug resolve --mode locked"
	}
	return c
}

// registryTimeout limits the time to ask a registry for an image.
const registryTimeout = 10 * time.Second

// HelperImage checks that the registry has the image of the helpers, without credentials. A file may be nil.
func HelperImage(ctx context.Context, file *cli.Project) Check {
	c := Check{Part: PartProject, State: OK, Subject: "helper image"}
	image, configured := contract.RuntimeImage, ""
	if file != nil {
		configured = file.HelperImage
	}
	image = cmp.Or(configured, image)
	ctx, stop := context.WithTimeout(ctx, registryTimeout)
	defer stop()
	source, tag, err := oci.OpenSource(ctx, image, oci.TargetOptions{})
	if err == nil {
		_, err = source.Resolve(ctx, tag)
	}
	var answer *errcode.ErrorResponse
	push := "push it and set helperImage in " + cli.ProjectFile + " (docs/howto/helper-image.md)"
	switch {
	case err == nil && tag != contract.ImageTag && !strings.Contains(image, "@"):
		c.State, c.Detail = Warning, fmt.Sprintf("the registry has %q, and this rplug renders for %s", image, contract.ImageTag)
		c.Action = "use the helper image and rplug of one version"
	case err == nil:
		c.Detail = fmt.Sprintf("the registry has %q", image)
	case errors.Is(err, errdef.ErrNotFound):
		c.State, c.Detail, c.Action = Missing, fmt.Sprintf("the registry does not have %q", image), push
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		c.State, c.Detail = Warning, fmt.Sprintf("the registry of %q wants credentials, which are not used here", image)
		c.Action = "nodes or imagePullSecrets must have them"
	default:
		c.State, c.Detail = Warning, fmt.Sprintf("%q is not known from here: %v", image, oci.Explain(err, image, tag))
		c.Action = "the nodes of the cluster must reach the registry; if they do not, " + push
	}
	return c
}

// firstLine returns the first of several findings, and how many others there are.
func firstLine(err error) string {
	first, others, several := strings.Cut(err.Error(), "\n")
	if several {
		first += fmt.Sprintf(" (and %s)", report.Count(1+strings.Count(others, "\n"), "other finding"))
	}
	return first
}
