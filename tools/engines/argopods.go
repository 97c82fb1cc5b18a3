package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v3/pkg/client/clientset/versioned/fake"
	"github.com/argoproj/argo-workflows/v3/workflow/common"
	"github.com/argoproj/argo-workflows/v3/workflow/controller"
	"github.com/sirupsen/logrus"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	kubetesting "k8s.io/client-go/testing"
)

// Namespace and ConfigMap of the controller.
const (
	controllerNamespace = "argo"
	configMap           = "workflow-controller-configmap"
)

// pods returns the Pods that the controller of Argo Workflows creates. Its clients have no other objects than the Workflow.
// Dependencies between tasks are removed, so that all Pods are created.
func (w *workflow) pods() ([]pod, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	logrus.SetLevel(logrus.ErrorLevel)
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "false"); err != nil { // these clients do not send initial events
		return nil, err
	}
	wf := w.DeepCopy()
	wf.UID, wf.CreationTimestamp = "uid", metav1.Now()
	objects := []runtime.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: configMap, Namespace: controllerNamespace}},
	}
	accounts, tasks := map[string]bool{}, 0
	for i := range wf.Spec.Templates {
		t := &wf.Spec.Templates[i]
		if t.DAG != nil {
			for n := range t.DAG.Tasks {
				t.DAG.Tasks[n].Dependencies = nil
			}
			tasks = len(t.DAG.Tasks)
		} else if name := t.ServiceAccountName; !accounts[name] {
			accounts[name] = true
			objects = append(objects, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: wf.Namespace}})
		}
	}
	kube, argo := kubefake.NewClientset(objects...), fake.NewSimpleClientset(wf)
	kube.PrependReactor("create", "selfsubjectaccessreviews", allow)
	config := &rest.Config{Host: "http://unused", Transport: &oneWorkflow{wf}}
	c, err := controller.NewWorkflowController(
		ctx, config, kube, argo, controllerNamespace, "", "argoexec", "", "text", configMap, false)
	if err != nil {
		return nil, err
	}
	go c.Run(ctx, 1, 1, 1, 1, 1)
	var made *corev1.PodList
	if err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(context.Context) (bool, error) {
		made, err = kube.CoreV1().Pods(wf.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(made.Items) == tasks {
			return true, err
		}
		now, err := argo.ArgoprojV1alpha1().Workflows(wf.Namespace).Get(ctx, wf.Name, metav1.GetOptions{})
		if err == nil && now.Status.Fulfilled() {
			err = fmt.Errorf("%s: %s", now.Status.Phase, now.Status.Message)
		}
		return false, err
	}); err != nil {
		return nil, fmt.Errorf("the controller has not made %d Pods: %w", tasks, err)
	}
	var all []pod
	for i := range made.Items {
		p := &made.Items[i]
		unwrapEmissary(p)
		_, task, _ := strings.Cut(p.Annotations[common.AnnotationKeyNodeName], ".")
		task, _, _ = strings.Cut(task, "(") // the number of a retry
		if err := w.checkUnchanged(p, task); err != nil {
			return nil, err
		}
		all = append(all, pod{w.Name, task, p})
	}
	slices.SortFunc(all, func(a, b pod) int { return strings.Compare(a.Task, b.Task) })
	return all, nil
}

// checkUnchanged compares the executor's template with the rendered one.
func (w *workflow) checkUnchanged(p *corev1.Pod, task string) error {
	init := p.Spec.InitContainers[0].Env
	i := slices.IndexFunc(init, func(v corev1.EnvVar) bool { return v.Name == common.EnvVarTemplate })
	if i < 0 {
		return fmt.Errorf("the Pod of task %s has no template", task)
	}
	var got wfv1.Template
	if err := json.Unmarshal([]byte(init[i].Value), &got); err != nil {
		return err
	}
	want := w.GetTemplateByName(task)
	if !equality.Semantic.DeepEqual(&got, want) {
		return fmt.Errorf("template %s is changed by the controller", task)
	}
	return nil
}

// allow grants the controller all permissions.
func allow(kubetesting.Action) (bool, runtime.Object, error) {
	return true, &authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}, nil
}

// unwrapEmissary restores the commands of containers from the Workflow: the executor runs the arguments after `--`.
func unwrapEmissary(made *corev1.Pod) {
	for i := range made.Spec.Containers {
		if c := &made.Spec.Containers[i]; c.Name != common.WaitContainerName {
			c.Command = c.Command[slices.Index(c.Command, "--")+1:]
		}
	}
}

// oneWorkflow implements lists and watches of the controller's dynamic client with a single Workflow and no events.
type oneWorkflow struct{ *wfv1.Workflow }

func (w *oneWorkflow) RoundTrip(request *http.Request) (*http.Response, error) {
	response := &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
	}
	if request.URL.Query().Get("watch") != "" {
		reader, writer := io.Pipe()
		context.AfterFunc(request.Context(), func() { writer.Close() })
		response.Body = reader
		return response, nil
	}
	list := map[string]any{
		"apiVersion": wfv1.SchemeGroupVersion.String(), "kind": "List", "metadata": map[string]any{"resourceVersion": "1"},
		"items": []any{},
	}
	if strings.HasSuffix(request.URL.Path, "/workflows") {
		list["items"] = []any{w.Workflow}
	}
	text, err := json.Marshal(list)
	response.Body = io.NopCloser(strings.NewReader(string(text)))
	return response, err
}
