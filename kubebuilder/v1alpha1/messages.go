// Package v1alpha1 holds the messages between kubebuilder and its external plugins: a Request as JSON on the plugin's stdin,
// and a Response on its stdout. It also holds ExternalPlugin, a document with recorded messages and the entries of a
// discovery folder, and functions that check names in both.
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
	// CommandDelete is only proposed; no release of kubebuilder sends it:
	// https://github.com/kubernetes-sigs/kubebuilder/pull/5352
	CommandDelete = "delete"
	// CommandFlags and CommandMetadata request the flags and the help of the subcommand that Args name: --init, --api,
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

// Request is the message from kubebuilder to a plugin.
type Request struct {
	// APIVersion is the version of the messages.
	APIVersion string `json:"apiVersion" required:"true"`
	// Args are the arguments of the user; null without arguments.
	Args []string `json:"args"`
	// Command is the command to run.
	Command string `json:"command" required:"true"`
	// Universe is the project: the contents of files by their paths from the project's folder.
	Universe map[string]string `json:"universe"`
	// PluginChain is the layout of the project. Releases since v4.10 send it.
	PluginChain []string `json:"pluginChain,omitempty"`
	// Config is the content of the file PROJECT. Releases since v4.10 send it.
	Config map[string]any `json:"config,omitempty"`
}

// Response is the message from a plugin to kubebuilder.
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
	// ErrorMsgs are the reasons, one per line. The error_msg of the design is read by no release.
	ErrorMsgs []string `json:"errorMsgs,omitempty" aliases:"error_msg"`
	// Flags are the flags of a subcommand, in answer to the command flags.
	Flags []Flag `json:"flags,omitempty"`
}

// Metadata is the help of a subcommand.
type Metadata struct {
	// Description describes the subcommand.
	Description string `json:"Description"`
	// Examples are command lines.
	Examples string `json:"Examples"`
}

// Flag is a flag of a subcommand.
type Flag struct {
	// Name is the name of the flag, without leading hyphens.
	Name string `json:"Name" required:"true"`
	// Type is string, bool, int or float. Any other type counts as string.
	Type string `json:"Type"`
	// Default is the value if the flag is not set.
	Default string `json:"Default"`
	// Usage is the flag's help.
	Usage string `json:"Usage"`
}
