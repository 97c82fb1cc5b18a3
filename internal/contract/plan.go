package contract

import (
	"fmt"
	"strconv"
)

// Plan is what the helpers of a Pod need to know of their step, as JSON in PlanVariable. It holds no param and no
// Secret's name: a later kustomize overlay rewrites names in annotations, not in environment values.
type Plan struct {
	// Step is the step's name, for messages; of a Pod that runs no step the name of its helper.
	Step string `json:"step"`
	// Generation is what the outputs are stamped with when they are published.
	Generation string `json:"generation"`
	// Producers are the steps whose outputs this one reads. The Secret of Producers[i] is in the annotation
	// InputSecretKey(i) of the Pod.
	Producers []Producer `json:"producers,omitempty"`
	// Outputs are the files that the script leaves; they are published under their names in the Secret that the
	// annotation OutputSecretKey names.
	Outputs []Output `json:"outputs,omitempty"`
	// StartTimeoutSeconds is how long the output manager waits for main to start, counted from its own start.
	// 0 means DefaultStartTimeoutSeconds.
	StartTimeoutSeconds int `json:"startTimeoutSeconds,omitempty"`
	// TimeoutSeconds is how long the script may run: the runner ends one that takes longer, so that its failure is told
	// and stamped. A Pod that its own deadline ends could do neither. 0 means no limit.
	TimeoutSeconds int `json:"timeoutSeconds,omitempty"`
	// Attempts is how many Pods may fail before the step's failure is stamped, which makes its consumers stop: the
	// Job's backoffLimit and one. 0 means 1.
	Attempts int `json:"attempts,omitempty"`
	// WaitSeconds is how long a Pod waits for a producer that neither runs nor waits for a step that runs. Then it ends with
	// ExitWaited, so that the producer gets its place on the node. 0 means no limit: nothing would replace the Pod.
	WaitSeconds int `json:"waitSeconds,omitempty"`
	// Ancestors is how many Jobs there are that the producers wait for, directly or not. Their names are in the annotations
	// InputJobKey that follow those of the producers.
	Ancestors int `json:"ancestors,omitempty"`
}

// ExitWaited is the exit code of a helper after WaitSeconds. Its Job must not count it as a failure. It is EX_TEMPFAIL of
// sysexits.h.
const ExitWaited = 75

// DefaultStartTimeoutSeconds is the StartTimeoutSeconds of a Plan that gives none.
const DefaultStartTimeoutSeconds = 300

// Producer is a step that must have published before this one starts.
type Producer struct {
	// Step is the producing step's name, for messages.
	Step string `json:"step"`
	// Generation is the stamp to wait for. Empty accepts any: delete steps read what is there. HelperCleanup waits for
	// the producers with a generation, which are the delete steps, then removes the Secrets of those without, which are
	// the create steps, and last the ones it waited for.
	Generation string `json:"generation,omitempty"`
	// Inputs are the outputs that are read; for HelperCopy those that are copied.
	Inputs []Input `json:"inputs"`
	// Ended is set if the step has ended when the Pod starts, so that outputs which are missing will not come.
	Ended bool `json:"ended,omitempty"`
	// Copies are the namespaces with a Secret of the same name: HelperCopy writes to each, HelperCleanup removes them
	// with the step's own.
	Copies []string `json:"copies,omitempty"`
}

// ProducerFailed is the message of a step that needs the outputs of another one, which has failed.
func ProducerFailed(step string) string {
	return fmt.Sprintf("step %q failed and its outputs are needed: see its Job and its Pod's termination message", step)
}

// AlreadyPublished is the message of a step that does not run again.
func AlreadyPublished(generation string) string {
	return fmt.Sprintf("generation %s is already published", generation)
}

// Input is one output of another step.
type Input struct {
	// Output is the key in the producer's Secret.
	Output string `json:"output"`
	// File is the name below InputsFolder to write the value to. Empty where only the environment reads it.
	File string `json:"file,omitempty"`
}

// Output is one file that the script leaves.
type Output struct {
	Name string `json:"name"`
	// Path is where the script writes it, absolute in the main container.
	Path string `json:"path"`
}

// How the helpers learn of their work: all variables of their containers.
const (
	PlanVariable         = "RESOURCEPLUGINS_PLAN"          // a Plan as JSON
	NamespaceVariable    = "RESOURCEPLUGINS_NAMESPACE"     // metadata.namespace, by the downward API
	OutputSecretVariable = "RESOURCEPLUGINS_OUTPUT_SECRET" // the annotation OutputSecretKey, by the downward API
)

// OutputSecretKey is the Pod annotation with the name of the Secret that the step publishes to.
const OutputSecretKey = Group + "/output-secret"

// MaxProducers is how many steps one step may read outputs of: the values of more would not fit into
// a helper's memory.
const MaxProducers = 16

// MaxSecrets is how many producers a Plan may have: each needs an annotation, and deploy/kustomize/names.yaml lists so many. It
// limits what one HelperCleanup removes.
const MaxSecrets = 32

// InputSecretKey is the Pod annotation with the name of the Secret of the Plan's producer i.
func InputSecretKey(i int) string { return Group + "/input-secret-" + strconv.Itoa(i) }

// InputSecretVariable is the variable that carries the annotation InputSecretKey(i).
func InputSecretVariable(i int) string { return "RESOURCEPLUGINS_INPUT_SECRET_" + strconv.Itoa(i) }

// InputJobKey is the Pod annotation with the name of the Job of the Plan's producer i, or of an ancestor. There is none for
// a producer of the other phase, and none for Pods without Jobs.
func InputJobKey(i int) string { return Group + "/input-job-" + strconv.Itoa(i) }

// InputJobVariable is the variable that carries the annotation InputJobKey(i).
func InputJobVariable(i int) string { return "RESOURCEPLUGINS_INPUT_JOB_" + strconv.Itoa(i) }

// Keys of the annotations that a step's output Secret is stamped with by the helpers; they must not be rendered. What
// is rendered on it is GenerationKey: the generation that may publish there. A Job of an older render that is still
// running finds another than its own, and does not overwrite newer outputs. A Secret without GenerationKey is not the
// renderer's, and nobody publishes there.
const (
	// the Secret of a step: the generation whose outputs it has
	PublishedKey = Group + "/published"
	// the Secret of a step: the generation that has failed for good
	FailedKey = Group + "/failed"
	// the Secret of a step with `retries`: a generation and how many of its Pods have failed
	FailuresKey = Group + "/failures"
)

// MaxOutputBytes is how much the values of one Secret may hold together: MaxSecretSize of k8s.io/api/core/v1.
const MaxOutputBytes = 1_048_576

// What lies in IOFolder. The command of main becomes RunnerFile, ScriptFile and the script's arguments, if any.
const (
	RunnerFile    = IOFolder + "/runner"    // the static runner, copied by the input manager
	PlanFile      = IOFolder + "/plan"      // the Plan as JSON, for the runner
	PublishedFile = IOFolder + "/published" // the generation is published already: the runner exits 0, runs nothing
	LockFile      = IOFolder + "/lock"      // mode 0666; the runner holds it (flock) as long as it lives
	StartedFile   = IOFolder + "/started"   // the runner has the lock
	AbandonedFile = IOFolder + "/abandoned" // the output manager gave up waiting: the runner must refuse to run
	ExitFile      = IOFolder + "/exit"      // the script's exit code in decimal, by temporary name and rename
	InputsFolder  = IOFolder + "/inputs"
	OutputsFolder = IOFolder + "/outputs"
)

// The helper image: one program with a subcommand a job, and the runner beside it.
const (
	HelperBinary   = "/manager"
	HelperInputs   = "inputs"  // init container: wait, write input files, copy the runner
	HelperOutputs  = "outputs" // container: wait for the script's end, publish
	HelperCopy     = "copy"    // Job: copy output Secrets to another namespace
	HelperCleanup  = "cleanup" // Job: remove the output Secrets after the delete steps
	ImageRunner    = "/runner" // where the runner lies in the helper image
	HelperUserID   = 65532
	TokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
)
