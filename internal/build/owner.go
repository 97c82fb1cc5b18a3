package build

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Kinds of owners.
const (
	OwnerSandbox    = "sandbox"
	OwnerRouteGroup = "route-group"
	OwnerPackage    = "package"
)

// owners are the annotations that identify the owner of an object.
var owners = []struct{ key, kind string }{
	{contract.SandboxKey, OwnerSandbox},
	{contract.RouteGroupKey, OwnerRouteGroup},
	{contract.InstallKey, OwnerPackage},
}

// Owner is the owner of an object. It is empty for objects that several sandboxes share, such as scripts.
type Owner struct{ Kind, Name string }

// OwnerOf returns the owner of an object, whose text is given as well.
func OwnerOf(item *krm.Item, text []byte) Owner {
	for _, owner := range owners {
		name, ok := plainAnnotation(text, owner.key)
		if !ok {
			name, ok = item.Annotation(owner.key)
		}
		if ok {
			return Owner{owner.kind, name}
		}
	}
	return Owner{}
}

// sharedFile has the objects without an owner, and kustomizationFile lists the other files.
const (
	sharedFile        = "shared.yaml"
	kustomizationFile = "kustomization.yaml"
)

// objectFile returns the file for a single object.
func objectFile(item *krm.Item) string {
	if namespace := item.Namespace(); namespace != "" {
		return fileName(item.Kind(), namespace, item.Name())
	}
	return fileName(item.Kind(), item.Name())
}

// plainAnnotation finds an annotation, or the label with this key, in the text of an object. It avoids parsing, since there
// may be many objects, and returns false if parsing is required.
func plainAnnotation(text []byte, key string) (value string, ok bool) {
	at := bytes.Index(text, []byte("\nmetadata:\n"))
	if at < 0 {
		return "", false
	}
	metadata := text[at+len("\nmetadata:\n"):]
	if end := nextTopKey.FindIndex(metadata); end != nil {
		metadata = metadata[:end[0]]
	}
	annotations := bytes.Index(metadata, []byte("  annotations:\n"))
	if annotations < 0 {
		return "", false
	}
	_, rest, ok := bytes.Cut(metadata[annotations:], []byte("\n    "+key+": "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if !ok || !plainName.Match(line) {
		return "", false
	}
	return string(line), true
}

var (
	nextTopKey = regexp.MustCompile(`\n[^ \n]`)
	plainName  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
)

// longestName limits the readable part of a file's name, in bytes.
const longestName = 120

// fileName returns a file name for a kind and names. Names of documents may be any text: invalid characters are replaced,
// and a hash, after a character that valid names do not have, makes the name unique. Names never differ only in case, and
// are never names of devices on Windows.
func fileName(kind string, names ...string) string {
	name := strings.ToLower(kind) + "-" + strings.Join(names, ".")
	if plainFileName.MatchString(name) && len(name) <= longestName && strings.Count(name, ".") == len(names)-1 {
		return name + ".yaml"
	}
	safe := strings.Trim(unsafeCharacters.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return safe[:min(longestName, len(safe))] + "_" + contract.Hash(append(names, kind)...) + ".yaml"
}

var (
	plainFileName    = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*$`)
	unsafeCharacters = regexp.MustCompile(`[^a-z0-9-]+`)
)
