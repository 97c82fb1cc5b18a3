package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// Plan is the input of the helpers of a Pod about their step, as JSON in PlanVariable. It has no params and no names of
// Secrets: a later kustomize overlay rewrites names in annotations, not in environment values.
type Plan struct {
	// Step is the step's name, for messages, or the helper's name in a Pod without a step.
	Step string `json:"step"`
	// Generation is the generation that published outputs are stamped with.
	Generation string `json:"generation"`
	// Producers are the steps whose outputs this one reads. The Secret of Producers[i] is in the annotation
	// InputSecretKey(i) of the Pod.
	Producers []Producer `json:"producers,omitempty"`
	// Outputs are the files that the script writes; they are published under their names in the Secret that the
	// annotation OutputSecretKey names.
	Outputs []Output `json:"outputs,omitempty"`
	// StartTimeoutSeconds is the time that the output manager waits for main to start, counted from its own start. 0
	// means DefaultStartTimeoutSeconds.
	StartTimeoutSeconds int `json:"startTimeoutSeconds,omitempty"`
	// TimeoutSeconds is the time limit of the script: the runner ends it, so that its failure is reported and stamped,
	// which is not possible in a Pod that its own deadline ends. 0 means no limit.
	TimeoutSeconds int `json:"timeoutSeconds,omitempty"`
	// Attempts is the number of Pods that may fail before the step's failure is stamped, which makes its consumers
	// stop: the Job's backoffLimit plus one. 0 means 1.
	Attempts int `json:"attempts,omitempty"`
	// WaitSeconds is the time that a Pod waits for a producer that neither runs nor waits for a running step. Then it
	// ends with ExitWaited, so that the producer gets its place on the node. 0 means no limit: nothing would replace
	// the Pod.
	WaitSeconds int `json:"waitSeconds,omitempty"`
	// Ancestors is the number of Jobs that the producers wait for, directly or indirectly. Their names are in the
	// annotations InputJobKey after those of the producers.
	Ancestors int `json:"ancestors,omitempty"`
	// Created is set if workloads in the namespace of the step wait for its end: the Secret then also has CreatedKey.
	Created bool `json:"created,omitempty"`
	// Forks are the namespaces in which HelperForks waits until no Pod of the sandbox's forks is left. The Pods are
	// counted by a PodDisruptionBudget, whose name is in the annotation ForkBudgetKey of the Pod.
	Forks []string `json:"forks,omitempty"`
	// Removes are the namespaces of the Secrets that HelperCleanup removes beside those of the producers. Their names are in
	// the annotations InputSecretKey after those of the producers.
	Removes []string `json:"removes,omitempty"`
}

// ExitWaited is the exit code of a helper after WaitSeconds. Its Job must not count it as a failure. It is EX_TEMPFAIL of
// sysexits.h.
const ExitWaited = 75

// DefaultStartTimeoutSeconds is the default of Plan.StartTimeoutSeconds.
const DefaultStartTimeoutSeconds = 300

// Producer is a step that must have published before this one starts.
type Producer struct {
	// Step is the producing step's name, for messages.
	Step string `json:"step"`
	// Generation is the stamp to wait for. Empty accepts any: delete steps read existing outputs. HelperCleanup waits
	// for the producers with a generation, which are the delete steps, then removes the Secrets of those without, which
	// are the create steps, and finally those it waited for.
	Generation string `json:"generation,omitempty"`
	// Inputs are the outputs to read; for HelperCopy those to copy.
	Inputs []Input `json:"inputs"`
	// Ended is set if the step has ended when the Pod starts, so that missing outputs will not be published.
	Ended bool `json:"ended,omitempty"`
	// Copies are the namespaces with a Secret of the same name: HelperCopy writes to each, HelperCleanup removes them
	// with the step's own.
	Copies []string `json:"copies,omitempty"`
}

// ProducerFailed is the message of a step that needs the outputs of a failed step.
func ProducerFailed(step string) string {
	return fmt.Sprintf("step %q failed and its outputs are needed: see its Job and its Pod's termination message", step)
}

// NeverPublished is the message of a delete step that reads outputs of a create step that has not published them.
func NeverPublished(step string, outputs []string) string {
	quoted := make([]string, len(outputs))
	for i, output := range outputs {
		quoted[i] = strconv.Quote(output)
	}
	return fmt.Sprintf("step %q of the create phase never published %s, which this step reads: run the create phase again, "+
		"or give this step up with the annotation %s of the sandbox's document", step, strings.Join(quoted, ", "), SkipDeleteKey)
}

// AlreadyPublished is the message of a step that does not run again.
func AlreadyPublished(generation string) string {
	return fmt.Sprintf("generation %s is already published", generation)
}

// Input is one output of another step.
type Input struct {
	// Output is the key in the producer's Secret. For HelperCopy it may be empty: only CreatedKey is copied.
	Output string `json:"output"`
	// File is the name of the file for the value below InputsFolder, or empty if only the environment reads it.
	File string `json:"file,omitempty"`
	// Workloads is set for HelperCopy: the copy also has the value under WorkloadKey.
	Workloads bool `json:"workloads,omitempty"`
	// Key is set for a HelperCopy with an OutputSecretKey: the key of the value in that Secret, which is in the namespace that
	// the producers' Copies name. Outputs of the Plan has all keys.
	Key string `json:"key,omitempty"`
	// Variable is the variable of main with the value, or empty if only a file has it. Name is then the name of the input,
	// for messages.
	Variable string `json:"variable,omitempty"`
	Name     string `json:"name,omitempty"`
}

// Limits of Linux for environment variables (MAX_ARG_STRLEN and the default of getrlimit(2), RLIMIT_STACK). Of the second
// one, 128 KiB are left for params and variables of the overlay.
const (
	// MaxVariableBytes limits one variable: its name, "=", its value and a NUL.
	MaxVariableBytes = 131_072
	// MaxVariablesBytes limits all outputs that main reads as variables, together.
	MaxVariablesBytes = 2_097_152 - MaxVariableBytes
)

// Output is a file that the script writes.
type Output struct {
	Name string `json:"name"`
	// Path is the absolute path of the file in the main container.
	Path string `json:"path"`
	// Workloads is set if workloads in the namespace of the step read the output: the Secret also has it under WorkloadKey.
	Workloads bool `json:"workloads,omitempty"`
}

// WorkloadKey is the key of an output for workloads. It changes with the generation of the step, so that a workload whose
// template refers to it is restarted, and no Pod of it starts before this generation is published. Names of outputs have no
// dots.
func WorkloadKey(output, generation string) string { return output + "." + generation }

// CreatedKey is the key, without a value, by which workloads wait for the end of a step: that of an output without a name.
func CreatedKey(generation string) string { return WorkloadKey("", generation) }

// CreatedVariable is the name of a variable of a fork that waits for the end of a step.
func CreatedVariable(i int) string { return "RESOURCEPLUGINS_CREATED_" + strconv.Itoa(i) }

// The configuration of the helpers: all variables of their containers.
const (
	PlanVariable         = "RESOURCEPLUGINS_PLAN"          // a Plan as JSON
	NamespaceVariable    = "RESOURCEPLUGINS_NAMESPACE"     // metadata.namespace, by the downward API
	OutputSecretVariable = "RESOURCEPLUGINS_OUTPUT_SECRET" // the annotation OutputSecretKey, by the downward API
	ForkBudgetVariable   = "RESOURCEPLUGINS_FORK_BUDGET"   // the annotation ForkBudgetKey, by the downward API
)

// OutputSecretKey is the Pod annotation with the name of the Secret to which the step publishes, or a copy of an
// OutputSecret document.
const OutputSecretKey = Group + "/output-secret"

// ForkBudgetKey is the Pod annotation with the name of the PodDisruptionBudgets that count the Pods of a sandbox's forks.
const ForkBudgetKey = Group + "/fork-budget"

// MaxProducers is the number of steps whose outputs one step may read: the values of more would not fit into a helper's
// memory.
const MaxProducers = 16

// MaxSecrets is the number of producers of a Plan: each needs an annotation, and deploy/kustomize/names.yaml lists that
// many. It limits the Secrets that one HelperCleanup removes.
const MaxSecrets = 32

// InputSecretKey is the Pod annotation with the name of the Secret of the Plan's producer i.
func InputSecretKey(i int) string { return Group + "/input-secret-" + strconv.Itoa(i) }

// InputSecretVariable is the variable that carries the annotation InputSecretKey(i).
func InputSecretVariable(i int) string { return "RESOURCEPLUGINS_INPUT_SECRET_" + strconv.Itoa(i) }

// InputJobKey is the Pod annotation with the name of the Job of the Plan's producer i, or of an ancestor. Producers of
// the other phase, and Pods without Jobs, have none.
func InputJobKey(i int) string { return Group + "/input-job-" + strconv.Itoa(i) }

// InputJobVariable is the variable that carries the annotation InputJobKey(i).
func InputJobVariable(i int) string { return "RESOURCEPLUGINS_INPUT_JOB_" + strconv.Itoa(i) }

// Keys of the annotations with which the helpers stamp a step's output Secret; they must not be rendered. The renderer
// sets GenerationKey: the generation that may publish there. A Job of an older render that is still running finds
// another generation than its own, and does not overwrite newer outputs. A Secret without GenerationKey is not from the
// renderer, and no helper publishes there.
const (
	// the Secret of a step: the generation whose outputs it has
	PublishedKey = Group + "/published"
	// the Secret of a step, and its copies: a random name of the publication, which differs each time a step has run
	PublicationKey = Group + "/publication"
	// the Secret of a step: the generation that has failed for good
	FailedKey = Group + "/failed"
	// the Secret of a step with `retries`: a generation and how many of its Pods have failed
	FailuresKey = Group + "/failures"
)

// ReadKey is the annotation of a step's Secret with the PublicationKey of the Plan's producer i that its outputs were made
// from.
func ReadKey(i int) string { return readPrefix + strconv.Itoa(i) }

// IsReadKey reports whether an annotation is a ReadKey.
func IsReadKey(key string) bool { return strings.HasPrefix(key, readPrefix) }

const readPrefix = Group + "/read-"

// MaxOutputBytes is the size limit of the values of one Secret together: MaxSecretSize of k8s.io/api/core/v1.
const MaxOutputBytes = 1_048_576

// The files in IOFolder. The command of main becomes RunnerFile, ScriptFile and the script's arguments, if any.
const (
	RunnerFile     = IOFolder + "/runner"     // the static runner, copied by the input manager
	PlanFile       = IOFolder + "/plan"       // the Plan as JSON, for the runner
	PublishedFile  = IOFolder + "/published"  // the generation is published already: the runner exits 0, runs nothing
	LockFile       = IOFolder + "/lock"       // mode 0666; the runner holds it (flock) as long as it lives
	StartedFile    = IOFolder + "/started"    // the runner has the lock
	AbandonedFile  = IOFolder + "/abandoned"  // the output manager gave up waiting: the runner must refuse to run
	TerminatedFile = IOFolder + "/terminated" // the runner got a signal that ends a Pod: the output manager waits for its own
	ExitFile       = IOFolder + "/exit"       // the script's exit code in decimal, by temporary name and rename
	ReadsFile      = IOFolder + "/reads"      // the publications that the input manager has read, by producer, as JSON
	InputsFolder   = IOFolder + "/inputs"
	OutputsFolder  = IOFolder + "/outputs"
)

// The helper image: one program with a subcommand for each job, and the runner next to it.
const (
	HelperBinary   = "/manager"
	HelperInputs   = "inputs"  // init container: wait, write input files, copy the runner
	HelperOutputs  = "outputs" // container: wait for the script's end, publish
	HelperCopy     = "copy"    // Job: copy output Secrets to another namespace
	HelperCleanup  = "cleanup" // Job: remove the output Secrets after the delete steps
	HelperForks    = "forks"   // Job: wait until no Pod of the sandbox's forks is left
	ImageRunner    = "/runner" // the runner in the helper image
	HelperUserID   = 65532
	TokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
)
