package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Kind is the kind of ExternalPlugin documents.
const Kind = "ExternalPlugin"

// ExternalPlugin describes external plugins of kubebuilder: their installation, and their recorded responses.
type ExternalPlugin struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ExternalPluginSpec `json:"spec"`
}

// ExternalPluginSpec describes external plugins of kubebuilder: their installation, and their recorded responses. File
// mode of validate-plugin creates such documents for discovery folders, and for files with recorded messages.
type ExternalPluginSpec struct {
	// Folder is the path of a discovery folder, from the folder of the document's file. It is only read in file mode.
	Folder string `json:"folder"`
	// Entries are the entries of a discovery folder, down to the files of versions.
	Entries []PluginEntry `json:"entries"`
	// Exchanges are recorded requests, with their responses.
	Exchanges []PluginExchange `json:"exchanges"`
}

// PluginEntry is a file or a folder of a discovery folder.
type PluginEntry struct {
	// Path is the path from the discovery folder: NAME, NAME/VERSION or NAME/VERSION/FILE.
	Path string `json:"path" required:"true"`
	// Type is the type of the entry. A link that leads to a file is a file.
	Type string `json:"type" required:"true"`
	// Executable means that the file is executable by any user.
	Executable bool `json:"executable"`
}

// EntryTypes returns the types of a PluginEntry.
func EntryTypes() []string { return []string{EntryFolder, EntryFile, EntryLink} }

// The types of a PluginEntry.
const (
	EntryFolder = "folder"
	EntryFile   = "file"
	EntryLink   = "link"
)

// PluginExchange is a request to a plugin, and its response.
type PluginExchange struct {
	// Name is the name of the exchange, such as create-api.
	Name string `json:"name" required:"true"`
	// Request is the request to the plugin.
	Request *Request `json:"request" required:"true"`
	// Response is the plugin's response.
	Response *Response `json:"response" required:"true"`
}
