package wait

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Failed is the error of a producer that recorded its failure.
type Failed struct{ Step string }

func (f *Failed) Error() string { return contract.ProducerFailed(f.Step) }

// NeverPublished is the error of a create step that has failed, for a delete step that reads its outputs.
type NeverPublished struct {
	Step    string
	Outputs []string
}

func (n *NeverPublished) Error() string { return contract.NeverPublished(n.Step, n.Outputs) }

// Ended is the error of a producer whose Job ended without publishing the outputs, or recording a failure.
type Ended struct {
	Step   string
	Job    cluster.Ref
	Secret cluster.Ref
	// End is how the Job ended: cluster.Job.End.
	End string
}

func (e *Ended) Error() string {
	return fmt.Sprintf("step %q will not publish the outputs that are needed: job %q is %s, and secret %q does not have them: "+
		"delete the Job and apply again", e.Step, e.Job.Name, e.End, e.Secret.Name)
}

// NotPublished is the error of a producer that has ended but whose Secret does not have its outputs.
type NotPublished struct {
	Step   string
	Secret cluster.Ref
}

func (n *NotPublished) Error() string {
	return fmt.Sprintf("step %q has ended, but secret %q does not have its outputs: "+
		"delete the workload of this Pod and apply again",
		n.Step, n.Secret.Name)
}

// Superseded is the error of a producer whose Secret was rendered for another generation.
type Superseded struct {
	Step       string
	Secret     cluster.Ref
	Generation string
}

func (s *Superseded) Error() string {
	return fmt.Sprintf("a newer render replaced step %q: secret %q is no longer for its generation %s, which this Pod waits "+
		"for; the Job of this Pod can be deleted", s.Step, s.Secret.Name, s.Generation)
}

// NotRunning is the error of a producer that had no running Pod for Wait.Limit. It has the outputs if the producer is a
// create step that a delete step waits for.
type NotRunning struct {
	Step    string
	Outputs []string
}

func (n *NotRunning) Error() string {
	if len(n.Outputs) > 0 {
		return "not a failure yet: this Pod ends to make room, and its Job starts another one later; " +
			contract.NeverPublished(n.Step, n.Outputs)
	}
	return fmt.Sprintf("not a failure: step %q has no running Pod, so this Pod ends to make room for it, and its Job starts "+
		"another one later", n.Step)
}
