// Package v1alpha1 holds the messages between kubebuilder and its external plugins, one Request as JSON on the plugin's
// stdin and one Response on its stdout, and ExternalPlugin, a document with recorded messages and with what a discovery
// folder holds. Functions check the names that both have.
//
//   - https://book.kubebuilder.io/plugins/extending/external-plugins
//   - https://github.com/kubernetes-sigs/kubebuilder/blob/v4.15.0/pkg/plugin/external/types.go
//
// The tags are those of package github.com/resource-plugins/krm-functions/api/v1alpha1.
package v1alpha1

// APIVersion is the version of the messages.
const APIVersion = "v1alpha1"

// The commands of a Request.
const (
	CommandInit          = "init"
	CommandCreateAPI     = "create api"
	CommandCreateWebhook = "create webhook"
	CommandEdit          = "edit"
	// CommandDelete is proposed, no release of kubebuilder sends it:
	// https://github.com/kubernetes-sigs/kubebuilder/pull/5352
	CommandDelete = "delete"
	// CommandFlags and CommandMetadata ask for the flags and the help of the subcommand that Args name, as --init, --api,
	// --webhook or --edit.
	CommandFlags    = "flags"
	CommandMetadata = "metadata"
)

// Commands returns all commands.
func Commands() []string {
	return []string{
		CommandInit, CommandCreateAPI, CommandCreateWebhook, CommandEdit, CommandDelete, CommandFlags, CommandMetadata,
	}
}

// Subcommands returns the arguments of the commands flags and metadata.
func Subcommands() []string { return []string{"--init", "--api", "--webhook", "--edit"} }

// FlagTypes returns the types of flags.
func FlagTypes() []string { return []string{"string", "bool", "int", "float"} }

// Request is what kubebuilder writes to a plugin.
type Request struct {
	// APIVersion is the version of the messages.
	APIVersion string `json:"apiVersion" required:"true"`
	// Args are the arguments of the user; null if there are none.
	Args []string `json:"args"`
	// Command is what the plugin is asked to do.
	Command string `json:"command" required:"true"`
	// Universe is the project: the contents of files by their paths from the project's folder.
	Universe map[string]string `json:"universe"`
	// PluginChain is the layout of the project. Releases since v4.10 send it.
	PluginChain []string `json:"pluginChain,omitempty"`
	// Config is the content of the file PROJECT. Releases since v4.10 send it.
	Config map[string]any `json:"config,omitempty"`
}

// Response is what a plugin answers.
type Response struct {
	// APIVersion is the version of the request. Kubebuilder does not check it.
	APIVersion string `json:"apiVersion"`
	// Command is the command of the request. Kubebuilder does not check it.
	Command string `json:"command"`
	// Metadata is the help of a subcommand, in answer to the command metadata.
	Metadata Metadata `json:"metadata"`
	// Universe are the files to write, by their paths from the project's folder. Files that are not in it stay as they are.
	Universe map[string]string `json:"universe"`
	// Deleted are the paths of files to remove. Kubebuilder ignores it.
	Deleted []string `json:"deleted,omitempty"`
	// Error reports that the command has failed.
	Error bool `json:"error,omitempty"`
	// ErrorMsgs say why, each for one line. The error_msg of the design is read by no release.
	ErrorMsgs []string `json:"errorMsgs,omitempty" aliases:"error_msg"`
	// Flags are the flags of a subcommand, in answer to the command flags.
	Flags []Flag `json:"flags,omitempty"`
}

// Metadata is the help of a subcommand.
type Metadata struct {
	// Description is what the subcommand does.
	Description string `json:"Description"`
	// Examples are command lines.
	Examples string `json:"Examples"`
}

// Flag is a flag of a subcommand.
type Flag struct {
	// Name is the flag's name without hyphens in front.
	Name string `json:"Name" required:"true"`
	// Type is string, bool, int or float. Any other counts as string.
	Type string `json:"Type"`
	// Default is the value without the flag.
	Default string `json:"Default"`
	// Usage is the flag's help.
	Usage string `json:"Usage"`
}
