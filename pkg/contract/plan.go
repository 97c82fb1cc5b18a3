package contract

import "strconv"

// Plan is what the helpers of a Pod need to know of their step, as JSON in PlanVariable. It holds no value of a
// document and no Secret's name: a later kustomize overlay rewrites names in annotations, not in environment values.
type Plan struct {
	// Step is the step's name, for messages.
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
	StartTimeoutSeconds int `json:"startTimeoutSeconds,omitempty"`
}

// Producer is a step that must have published before this one starts.
type Producer struct {
	// Step is the producing step's name, for messages.
	Step string `json:"step"`
	// Generation is the stamp to wait for. Empty accepts any: delete steps read what is there.
	Generation string `json:"generation,omitempty"`
	// Inputs are the outputs that are read.
	Inputs []Input `json:"inputs"`
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

// MaxProducers is how many steps one step may read outputs of: each needs an annotation that kustomize/names.yaml lists.
const MaxProducers = 16

// InputSecretKey is the Pod annotation with the name of the Secret of the Plan's producer i.
func InputSecretKey(i int) string { return Group + "/input-secret-" + strconv.Itoa(i) }

// InputSecretVariable is the variable that carries the annotation InputSecretKey(i).
func InputSecretVariable(i int) string { return "RESOURCEPLUGINS_INPUT_SECRET_" + strconv.Itoa(i) }

// Keys of the annotations that a step's output Secret is stamped with.
const (
	PublishedKey = Group + "/published" // the generation whose outputs the Secret holds
	FailedKey    = Group + "/failed"    // the generation that failed
)

// What lies in IOFolder.
const (
	RunnerFile    = IOFolder + "/runner"    // the static runner, copied by the input manager
	LockFile      = IOFolder + "/lock"      // mode 0666; the runner holds it (flock) as long as it lives
	StartedFile   = IOFolder + "/started"   // the runner has the lock
	AbandonedFile = IOFolder + "/abandoned" // the output manager gave up waiting: the runner must refuse to run
	ExitFile      = IOFolder + "/exit"      // the script's exit code in decimal, by temporary name and rename
	InputsFolder  = IOFolder + "/inputs"
	OutputsFolder = IOFolder + "/outputs"
)

// The helper image: one program with a subcommand a job, and the runner beside it.
const (
	HelperBinary   = "/helper"
	HelperInputs   = "inputs"  // init container: wait, write input files, copy the runner
	HelperOutputs  = "outputs" // container: wait for the script's end, publish
	HelperCopy     = "copy"    // Job: copy output Secrets to another namespace
	HelperCleanup  = "cleanup" // Job: remove the output Secrets after the delete phase
	ImageRunner    = "/runner" // where the runner lies in the helper image
	HelperUserID   = 65532
	TokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
)
