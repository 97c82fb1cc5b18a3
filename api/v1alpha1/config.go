package v1alpha1

// ImportPlugin is the config of import-plugin.
//
// `help` is the text of --help for a field; `flag:"-"` means no flag.
type ImportPlugin struct {
	Path              string            `json:"path" flag:"-" help:"file or folder to read, below where the function runs"`
	Set               map[string]string `json:"set" flag:"-" help:"values of variables, for @{KEY}"`
	AllowEmbedOutside bool              `json:"allowEmbedOutside" flag:"-" help:"let @{embed: FILE} leave its folder"`
	Image             string            `json:"image" help:"image of an imported Crossplane package: NAME[:TAG][@DIGEST]"`
}

// RenderPhase is the config of render-phase.
//
// `help` is the text of --help for a field; `flag:"-"` means no flag.
type RenderPhase struct {
	Phases   []string `json:"phases" enum:"create,delete" help:"create or delete; both only with argocd or helm"`
	Engine   string   `json:"engine" enum:"jobs,argo,tekton" help:"the engine of the steps: jobs, argo or tekton"`
	Workload string   `json:"workload" enum:"Job,Pod" help:"the object of a step with engine jobs: Job or Pod"`
	Cluster  string   `json:"cluster" help:"render only the sandboxes of this cluster"`

	Delivery   string `json:"delivery" enum:"kubectl,argocd,flux,helm,kpt" help:"the tool: kubectl, argocd, flux, helm or kpt"`
	DeleteHook string `json:"deleteHook" enum:"PostDelete,PreDelete" help:"when argocd or helm delete: PostDelete or PreDelete"`

	RunnerNamespace string            `json:"runnerNamespace" help:"run all steps in this namespace"`
	Namespaces      map[string]string `json:"namespaces" help:"run the steps of a namespace in another one: old=new"`

	TrustedAccounts []string `json:"trustedAccounts" help:"ServiceAccounts of overlays that several sandboxes may share"`

	PodSecurity string `json:"podSecurity" enum:"restricted" help:"the Pod Security Standard of the namespaces: restricted"`

	PodTemplateDefaults string `json:"podTemplateDefaults" arg:"YAML" help:"a pod template below the overlays of all plugins"`

	HelperImage         string   `json:"helperImage" help:"image of helpers"`
	ImagePullSecrets    []string `json:"imagePullSecrets" help:"names of Secrets for pulling the images"`
	StepTimeoutSeconds  int      `json:"stepTimeoutSeconds" help:"how long a step may take once its inputs are there"`
	StartTimeoutSeconds int      `json:"startTimeoutSeconds" help:"how long a step's container may take to start"`
	Retries             int      `json:"retries" help:"how often a failed Job runs again; scripts must be idempotent"`

	Undo   bool   `json:"undo" help:"put the teardown of each sandbox into a ConfigMap"`
	Expiry string `json:"expiry" enum:"cluster" help:"with cluster: a CronJob tears down sandboxes whose ttl has passed"`

	TTLSecondsAfterFinished int `json:"ttlSecondsAfterFinished" help:"seconds that finished Jobs stay; -1 keeps them"`

	Install string `json:"install" enum:"job,objects" help:"how a requested stack is rendered: job or objects"`
	Record  bool   `json:"record" help:"with install objects: apply the stack's record, too"`

	Rules map[string]string `json:"rules" help:"levels of rules; only package-rights[/NAME] counts here"`

	UnpackerImage string `json:"unpackerImage" help:"the image of the program that unpacks stacks in the cluster"`

	Compatible      string `json:"compatible" enum:"v0.10" help:"with v0.10: only render the Jobs of crossplane v0.10.0"`
	ExecutorImage   string `json:"executorImage" help:"the executor of v0.10"`
	TemplatingImage string `json:"templatingImage" help:"with compatible: the image of the controllers of template stacks"`

	Mirror map[string]string `json:"mirror" help:"where package images are: old prefix=new prefix"`
	Images bool              `json:"images" help:"on files: only print the images of the requested packages"`
	Lock   bool              `json:"lock" help:"on files: only print the Lock that crossplane would make"`

	Prune bool `json:"prune" help:"remove rendered objects even if nothing asks for any (kpt)"`
}

// RenderSandbox is the config of render-sandbox.
//
// `help` is the text of --help for a field; `flag:"-"` means no flag.
type RenderSandbox struct {
	Cluster   string `json:"cluster" help:"render only the sandboxes of this cluster"`
	Namespace string `json:"namespace" help:"the namespace of baseline objects without one"`
	Replicas  int    `json:"replicas" help:"how many Pods a fork has"`

	Routing string `json:"routing" enum:"none,gateway-api,istio" help:"none, gateway-api (HTTPRoute) or istio (VirtualService)"`

	Headers       []string `json:"headers" help:"the headers that may carry the routing key"`
	Gateway       string   `json:"gateway" help:"the Gateway for publishing endpoints: NAMESPACE/NAME"`
	GatewayDomain string   `json:"gatewayDomain" help:"the domain of the host names of endpoints"`
	GatewayScheme string   `json:"gatewayScheme" enum:"http,https" help:"the scheme of the URLs of endpoints: http or https"`

	Baseline bool `json:"baseline" help:"on files: print the baseline too, not only rendered objects"`
	Prune    bool `json:"prune" help:"remove rendered objects even if there is no sandbox (kpt)"`
}

// ResolveVersion is the config of resolve-version.
//
// `help` is the text of --help for a field; `flag:"-"` means no flag.
type ResolveVersion struct {
	Mode              string   `json:"mode" enum:"keep,locked,update" help:"what happens to the lock: keep, locked or update"`
	Update            []string `json:"update" help:"with mode update: the plugins, packages or references to move, else all"`
	Strict            bool     `json:"strict" help:"under kustomize, make a reference that floats without a lock an error"`
	KubernetesVersion string   `json:"kubernetesVersion" help:"leave out versions that require a higher version of Kubernetes"`
	Explain           bool     `json:"explain" help:"report what each reference resolved to, and how"`
}

// ValidatePlugin is the config of validate-plugin.
//
// `help` is the text of --help for a field; `flag:"-"` means no flag.
type ValidatePlugin struct {
	Strict bool              `json:"strict" help:"turn warnings into errors"`
	Rules  map[string]string `json:"rules" help:"the level of a rule by its id: off, warning or error"`
}
