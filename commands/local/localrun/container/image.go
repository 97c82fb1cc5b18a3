package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// image has fields of an image from `inspect`.
type image struct {
	ID           string `json:"Id"`
	Architecture string
	Config       struct{ User string }
}

// image returns a local image, and pulls it if the policy requires that. Without a policy a kubelet always pulls the tag
// latest; here it is pulled only if it is missing, since the user may just have built an image with that tag.
func (e *Engine) image(ctx context.Context, name string, policy corev1.PullPolicy) (image, error) {
	if name == "" {
		return image{}, errors.New("the image of main must be set")
	}
	if wrong := document.CheckImage(name); wrong != "" {
		return image{}, fmt.Errorf("the image of main %s", wrong)
	}
	known := e.options.Images
	return once(ctx, &known.mutex, known.found, name+" "+string(policy), func() (image, error) {
		local, missing := e.inspectImage(ctx, name)
		switch {
		case missing == nil && policy != corev1.PullAlways:
			return local, nil
		case policy == corev1.PullNever:
			return image{}, fmt.Errorf("image %q is not on this machine, and imagePullPolicy is Never: load or build it", name)
		}
		return e.pull(ctx, name, e.options.Progress)
	})
}

// Pull pulls an image that does not exist locally.
func (p *Program) Pull(ctx context.Context, name string) error {
	_, err := p.inspectImage(ctx, name)
	if err != nil {
		_, err = p.pull(ctx, name, nil)
	}
	return err
}

func (p *Program) pull(ctx context.Context, name string, progress func(line string)) (image, error) {
	full, err := fullName(name)
	if err != nil {
		return image{}, err
	}
	if progress != nil {
		progress(fmt.Sprintf("%s pulls %s", p.name, full))
	}
	if _, err := p.output(ctx, "pull", "--quiet", full); err != nil {
		return image{}, fmt.Errorf("image %q cannot be pulled: check its name, log in with `%s login`, or load it with "+
			"`%[2]s load`: %w", name, p.name, err)
	}
	return p.inspectImage(ctx, full)
}

// inspectImage returns a local image.
func (p *Program) inspectImage(ctx context.Context, name string) (image, error) {
	text, err := p.output(ctx, "image", "inspect", name)
	if err != nil {
		return image{}, err
	}
	var images []image
	if err := json.Unmarshal([]byte(text), &images); err != nil || len(images) != 1 {
		return image{}, fmt.Errorf("%s image inspect: must describe one image: %w", p.name, err)
	}
	return images[0], nil
}

// fullName returns the name of an image with its registry, as a kubelet does: podman has no default registry.
func fullName(name string) (string, error) {
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return "", err
	}
	return reference.TagNameOnly(named).String(), nil
}

// user returns the value of the flag --user, or "" for the image's user. It returns an error whenever a kubelet would:
// https://kubernetes.io/docs/tasks/configure-pod-container/security-context/
func user(security settings, inspected image) (string, error) {
	user := ""
	if security.runAsUser != nil {
		user = strconv.FormatInt(*security.runAsUser, 10)
		if security.runAsGroup != nil {
			user += ":" + strconv.FormatInt(*security.runAsGroup, 10)
		}
	} else if security.runAsGroup != nil {
		return "", errors.New("securityContext.runAsGroup of main must not be set without runAsUser")
	}
	if security.runAsNonRoot == nil || !*security.runAsNonRoot {
		return user, nil
	}
	name := user
	if name == "" {
		name = inspected.Config.User
	}
	name, _, _ = strings.Cut(name, ":")
	if number, err := strconv.ParseInt(name, 10, 64); name != "" && err != nil {
		return "", fmt.Errorf("the image has the user %q, which is no number, so securityContext.runAsNonRoot of main cannot be "+
			"verified: set runAsUser", name)
	} else if number == 0 {
		return "", errors.New("securityContext.runAsNonRoot of main is true, but it would run as root: set runAsUser, or use an " +
			"image with another user")
	}
	return user, nil
}
