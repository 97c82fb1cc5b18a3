package v1alpha1

// Project is the project file, rplug.yaml: what would otherwise be repeated as flags. Flags win over it.
type Project struct {
	// Exclude are patterns of files and folders that are left out of folders, as in .gitignore, relative to the file.
	Exclude []string `json:"exclude,omitempty"`
	// Rules are the levels of rules by their ids: off, warning or error.
	Rules map[string]string `json:"rules,omitempty"`
	// Strict turns warnings into errors.
	Strict bool `json:"strict,omitempty"`
	// Values are the values of template variables, for @{KEY}.
	Values map[string]string `json:"values,omitempty"`
}
