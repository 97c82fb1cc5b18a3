package v1alpha1

// Project is the project file, rplug.yaml: options that would otherwise be repeated as flags. Flags take precedence
// over it. Paths in it are relative to the file.
type Project struct {
	// Catalogs are files and folders with plugins, Catalog and PluginLock documents that are read in addition to the paths of
	// a command that resolves or checks references.
	Catalogs []string `json:"catalogs,omitempty"`
	// Cluster renders only the sandboxes of this cluster.
	Cluster string `json:"cluster,omitempty"`
	// HelperImage is the image of the helpers in rendered Pods.
	HelperImage string `json:"helperImage,omitempty"`
	// A partial pod template, as YAML, below the overlays of all plugins: labels, annotations, where Pods may run, pull
	// secrets, and the resources of the container main.
	PodTemplateDefaults string `json:"podTemplateDefaults,omitempty"`
	// Exclude are patterns of files and folders that are skipped in folders, as in .gitignore, relative to the file.
	Exclude []string `json:"exclude,omitempty"`
	// Rules are the levels of rules by their ids: off, warning or error.
	Rules map[string]string `json:"rules,omitempty"`
	// Strict turns warnings into errors.
	Strict bool `json:"strict,omitempty"`
	// Values are the values of template variables, for @{KEY}.
	Values map[string]string `json:"values,omitempty"`

	// Resolve are options of versions, as in the config of resolve-version.
	Resolve ResolveVersion `json:"resolve,omitzero"`
	// Render are options of resources, as in the config of render-phase.
	Render RenderPhase `json:"render,omitzero"`
	// Fork are options of forks, as in the config of render-sandbox.
	Fork RenderSandbox `json:"fork,omitzero"`
}
