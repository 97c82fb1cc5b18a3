// Package expire is the program of the CronJob that the option expiry renders: it tears down the sandboxes whose ttl
// has passed. Run acts once as far as possible, and waits for nothing, so each run continues what earlier ones have
// started, and one that was interrupted does no harm. The state of a sandbox is in the cluster: its plan, and the
// states of its Jobs.
package expire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Expirer tears sandboxes down.
type Expirer struct {
	Client *cluster.Client
	// Namespace is that of the program.
	Namespace string
	// Log prints a line.
	Log func(line string)
	// Now returns the time of the node's clock.
	Now func() time.Time
}

// atOnce is how many sandboxes are handled at the same time, so that one whose requests fail does not delay the others.
const atOnce = 8

// Run handles all sandboxes for which the account has rights, and returns an error for each that failed; the others are
// done.
func (e Expirer) Run(ctx context.Context) []error {
	rules, now, err := e.Client.Rules(ctx, e.Namespace)
	if err != nil {
		return []error{err}
	}
	sealings := sealings(rules)
	if len(sealings) == 0 {
		e.Log("no sandbox of this namespace has a ttl")
		return nil
	}
	now = e.earlier(now)
	failures := make([]error, len(sealings))
	free := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, sealing := range sealings {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			failures[i] = (&sandbox{Expirer: e, sealing: sealing, now: now}).run(ctx)
		})
	}
	group.Wait()
	return slices.DeleteFunc(failures, func(err error) bool { return err == nil })
}

// earlier returns the earlier of the times of the node and the API server: if one clock jumps ahead, nothing expires
// early. Nothing expires if the API server's is not known.
func (e Expirer) earlier(server time.Time) time.Time {
	node := e.Now()
	if server.IsZero() {
		e.Log("nothing expires: the API server must send its time in the header Date")
	}
	if node.Before(server) {
		return node
	}
	return server
}

// sealings returns those of the account's Roles, in the order of their names.
func sealings(rules []cluster.Rule) (all []expiry.Sealing) {
	var names []string
	for _, rule := range rules {
		if slices.Contains(rule.APIGroups, contract.Group) && slices.Contains(rule.Resources, expiry.Resource) &&
			slices.Contains(rule.Verbs, expiry.Verb) {
			names = append(names, rule.ResourceNames...)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if one, isSealing := expiry.Read(name); isSealing {
			all = append(all, one)
		}
	}
	return all
}

// kind returns a kind of a plan.
func kind(of expiry.Kind) cluster.Kind {
	if of == (expiry.Kind{Version: "v1", Resource: "secrets"}) {
		return cluster.KindSecret
	}
	return cluster.Kind{Group: of.Group, Version: of.Version, Plural: of.Resource, Singular: of.Resource}
}

var (
	configMaps   = cluster.Kind{Version: "v1", Plural: "configmaps", Singular: "configmap"}
	roles        = cluster.Kind{Group: rbac, Version: "v1", Plural: "roles", Singular: "role"}
	roleBindings = cluster.Kind{Group: rbac, Version: "v1", Plural: "rolebindings", Singular: "rolebinding"}
)

const rbac = "rbac.authorization.k8s.io"

// object has the fields of objects that are read.
type object struct {
	Metadata struct {
		UID               string
		Annotations       map[string]string
		CreationTimestamp time.Time
		DeletionTimestamp *time.Time
		ManagedFields     []managedFields
	}
	BinaryData map[string][]byte
	Status     cluster.JobStatus
}

func (e Expirer) own(kind cluster.Kind, name string) cluster.Ref {
	return cluster.Ref{Kind: kind, Namespace: e.Namespace, Name: name}
}

// adopt makes the cluster delete an object of the namespace when the ConfigMap is deleted. An object that does not
// exist is left out.
func (s *sandbox) adopt(ctx context.Context, ref cluster.Ref, owner cluster.Owner) error {
	exists, err := s.Client.Read(ctx, ref, &object{})
	if err != nil || !exists {
		return err
	}
	return s.Client.Update(ctx, ref, func(*cluster.Secret) (*cluster.Patch, error) {
		return &cluster.Patch{Owner: &owner}, nil
	})
}

// isForbidden reports whether the account lacks the right.
func isForbidden(err error) bool {
	var failure *cluster.Failure
	return errors.As(err, &failure) && failure.Code == 403
}

func (s *sandbox) logf(format string, values ...any) {
	s.Log(s.name() + ": " + fmt.Sprintf(format, values...))
}
