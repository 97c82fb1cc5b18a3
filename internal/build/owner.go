package build

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The kinds of owners.
const (
	OwnerSandbox    = "sandbox"
	OwnerRouteGroup = "route-group"
	OwnerPackage    = "package"
)

// owners are the annotations that say what an object belongs to.
var owners = []struct{ key, kind string }{
	{contract.SandboxKey, OwnerSandbox},
	{contract.RouteGroupKey, OwnerRouteGroup},
	{contract.InstallKey, OwnerPackage},
}

// Owner is what an object belongs to. It is empty for what several sandboxes use, such as scripts.
type Owner struct{ Kind, Name string }

// OwnerOf returns what an object belongs to, whose text is given, too.
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

// sharedFile has the objects of no owner, and kustomizationFile lists the others.
const (
	sharedFile        = "shared.yaml"
	kustomizationFile = "kustomization.yaml"
)

// ownerFile returns the file of what owns an object, whose text is given, too.
func ownerFile(item *krm.Item, text []byte) string {
	if owner := OwnerOf(item, text); owner != (Owner{}) {
		return fileName(owner.Kind, owner.Name)
	}
	return sharedFile
}

// objectFile returns the file of an object alone.
func objectFile(item *krm.Item) string {
	if namespace := item.Namespace(); namespace != "" {
		return fileName(item.Kind(), namespace, item.Name())
	}
	return fileName(item.Kind(), item.Name())
}

// plainAnnotation finds an annotation, or the label of this key, in the text of an object without parsing it, since there
// may be very many. It is false if the text must be parsed.
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

// longestName is the longest part of a file's name that says what the file is about, in bytes.
const longestName = 120

// fileName returns the name of the file of what has a kind and names. Names of documents may be any text: what is no plain
// name is replaced, and a hash, after a character that plain names do not have, keeps files apart. No two names differ only
// in case, and none is a device on Windows.
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
