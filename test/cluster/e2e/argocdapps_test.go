//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// child returns an Application that delivers a folder of the repository of another one.
func (a *application) child(folder string) *application {
	one := &application{repository: a.repository, name: a.name + "-" + folder, spec: object{}}
	for key, value := range a.spec {
		one.spec[key] = value
	}
	one.spec["source"] = object{"repoURL": a.url, "targetRevision": "main", "path": "deploy/" + folder}
	return one
}

// manifest returns the Application as a file of the repository has it, with the finalizers of the page on environments.
func (a *application) manifest() string {
	return texts(a.t, object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": a.spec,
		"metadata": object{"name": a.name, "namespace": "argocd", "finalizers": []string{
			"resources-finalizer.argocd.argoproj.io", "post-delete-finalizer.argocd.argoproj.io",
			"post-delete-finalizer.argocd.argoproj.io/cleanup",
		}},
	})
}

// awaitNone waits until Argo CD has deleted the Application.
func (a *application) awaitNone() {
	a.t.Helper()
	eventually(a.t, func() (string, error) {
		out, err := kubectl("", "get", "application", a.name, "--namespace=argocd", "--ignore-not-found", "--output=name")
		if out != "" {
			return "the deletion of Application " + a.name, err
		}
		return "", err
	})
}

// awaitDeletionErrorOrNone waits until the Application is gone, or its deletion waits for its folder. It reports the latter.
func (a *application) awaitDeletionErrorOrNone() (waits bool) {
	a.t.Helper()
	eventually(a.t, func() (string, error) {
		out, err := kubectl("", "get", "application", a.name, "--namespace=argocd", "--ignore-not-found", "--output=name")
		if out == "" {
			return "", err
		}
		status, err := a.status()
		for _, condition := range status.Conditions {
			if waits = condition.Type == "DeletionError" && strings.Contains(condition.Message, "app path does not exist"); waits {
				return "", err
			}
		}
		return fmt.Sprintf("the error of the deletion, not %v", status.Conditions), err
	})
	return waits
}

// An Application of Applications has one for each branch. If the file of one is removed, its delete phase runs as a hook, as
// long as the folder with it is still in Git. If both are removed by one commit, its deletion waits for the folder, unless
// Argo CD has compared it without the folder before it was deleted: that removes the finalizers of hooks.
func TestArgoCDAppOfApps(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	hooks := append([]string{"--phases", "create,delete"}, argoCDArguments...)
	files := map[string]string{}
	children := map[string]*application{}
	for _, branch := range []string{"kept", "first", "second"} {
		children[branch] = a.child(branch)
		files["apps/"+branch+".yaml"] = children[branch].manifest()
		files[branch+"/rendered.yaml"] = render(t, hooks, s.returning(), sandbox(branch, "returning", map[string]string{"value": branch}))
	}
	a.spec = object{
		"project": "default", "source": object{"repoURL": a.url, "targetRevision": "main", "path": "deploy/apps"},
		"destination": object{"server": "https://kubernetes.default.svc", "namespace": "argocd"},
		"syncPolicy":  object{"automated": object{"prune": true, "selfHeal": true}},
	}
	revision := a.commit(files)
	t.Cleanup(func() { // after that of create: the parent must not create them again
		for _, one := range children {
			one.remove()
		}
	})
	a.create()
	for _, one := range children {
		one.await(revision, "Synced", "Healthy")
	}
	a.await(revision, "Synced", "Healthy")

	delete(files, "apps/first.yaml")
	a.commit(files)
	children["first"].awaitNone()
	assert.Equal(t, 1, s.runs("first")["drop"])
	observe(t, argoCDName, "the file of an Application was removed, its folder is still there, with hooks",
		"the delete phase runs, then everything is gone")

	rendered := files["second/rendered.yaml"]
	delete(files, "apps/second.yaml")
	delete(files, "second/rendered.yaml")
	a.commit(files)
	waits := children["second"].awaitDeletionErrorOrNone()
	assert.Zero(t, s.runs("second")["drop"])
	observe(t, argoCDName, "an Application and its folder were removed by one commit, with hooks",
		"the Application stays, with a DeletionError, until the folder is there again; or, if Argo CD had missed the folder before, "+
			"it is gone, and no delete phase runs")
	if waits {
		files["second/rendered.yaml"] = rendered
		a.commit(files)
		children["second"].awaitNone()
		assert.Equal(t, 1, s.runs("second")["drop"])
	}
	assert.Zero(t, s.runs("kept")["drop"])
	assert.Contains(t, s.outputs(), "kept/make")
	assert.NotContains(t, s.outputs(), "first/make")
}

// A selective sync of one Job leaves the step waiting for its helpers' objects; the next whole sync completes it, and no step
// runs twice.
func TestArgoCDSelectiveSync(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	a.spec["syncPolicy"] = object{}
	revision := a.render(s.returned("one", argoCDArguments...))
	a.create()
	eventually(t, func() (string, error) {
		status, err := a.status()
		if status.Sync.Status != "OutOfSync" {
			return "OutOfSync, not " + status.Sync.Status, err
		}
		return "", err
	})
	sync := func(resources []object) {
		operation := object{"sync": object{"revision": revision, "resources": resources}}
		must(t, "", "patch", "application", a.name, "--namespace=argocd", "--type=merge", "--patch="+texts(t, object{"operation": operation}))
	}
	status, err := a.status()
	require.NoError(t, err)
	var selected []object
	for _, resource := range status.Resources {
		if resource.Kind == "Job" {
			selected = append(selected, object{"group": "batch", "kind": "Job", "name": resource.Name, "namespace": s.name})
		}
	}
	require.NotEmpty(t, selected)
	sync(selected)
	eventually(t, func() (string, error) {
		jobs, err := list[workload](s.name, "jobs")
		if len(jobs) != len(selected) {
			return "the selected Jobs", err
		}
		return "", err
	})
	assert.Empty(t, s.runs("returned"), "a Pod needs the scripts and the account")
	observe(t, argoCDName, "only the Jobs were synchronized", "OutOfSync, Progressing; the steps wait")
	eventually(t, func() (string, error) { // the operation must have ended
		status, err := a.status()
		if status.OperationState.Phase != "Succeeded" {
			return "the end of the selective sync, not " + status.OperationState.Phase, err
		}
		return "", err
	})
	sync(nil)
	a.await(revision, "Synced", "Healthy")
	s.requireValue("one")
	assert.Equal(t, map[string]int{"make": 1, "use": 1, "tell": 1}, s.runs("returned"))
	assert.Contains(t, must(t, "", "get", "secrets", "--namespace", s.name, "--output=jsonpath={.items[*].metadata.labels}"),
		contract.SandboxIDKey)
}
