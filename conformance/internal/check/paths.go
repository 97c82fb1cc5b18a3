package check

import (
	"cmp"
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
)

// prefix is that of the annotations with the place of an item.
const prefix = "internal.config.kubernetes.io/"

// fileOf returns the shortest form of the path of an item, or "".
func fileOf(item *yaml.Node) string {
	file := text(item, "metadata", "annotations", prefix+"path")
	if file == "" {
		return ""
	}
	return path.Clean(file)
}

// unique-items: no two items have the same group, kind, namespace and name.
func uniqueItems(j *judgement) error {
	return unique(j, "items", func(item *yaml.Node) string {
		return fmt.Sprintf("%s %s %s/%s", text(item, "apiVersion"), text(item, "kind"), text(item, "metadata", "namespace"),
			text(item, "metadata", "name"))
	})
}

// unique-paths: no two items have the same path and index.
func uniquePaths(j *judgement) error {
	return unique(j, "paths", func(item *yaml.Node) string {
		file := fileOf(item)
		if file == "" {
			return ""
		}
		return file + " index " + cmp.Or(text(item, "metadata", "annotations", prefix+"index"), "0")
	})
}

func unique(j *judgement, what string, key func(*yaml.Node) string) error {
	if !j.answered() {
		return nil
	}
	seen := map[string]bool{}
	for _, item := range j.only().list.Items {
		k := key(item)
		if k != "" && seen[k] {
			j.problem("%s are not unique: %s is there twice", what, k)
		}
		seen[k] = true
	}
	return nil
}

// folders: no path is a folder of another one.
func folders(j *judgement) error {
	if !j.answered() {
		return nil
	}
	inside := map[string]string{} // a file of each folder
	for _, item := range j.only().list.Items {
		file := fileOf(item)
		for folder := path.Dir(file); folder != "." && folder != "/"; folder = path.Dir(folder) {
			inside[folder] = file
		}
	}
	seen := map[string]bool{}
	for _, item := range j.only().list.Items {
		file := fileOf(item)
		if other := inside[file]; other != "" && !seen[file] {
			seen[file] = true
			j.problem("path %q is the folder of path %q", file, other)
		}
	}
	return nil
}

// kptfile: the Kptfiles of the input are in the output, and no other item is in a file with this name. That an item has lost
// its path is found by another case.
func kptfile(j *judgement) error {
	if !j.answered() {
		return nil
	}
	input, err := resourcelist.Read(j.only().Stdin)
	if err != nil {
		return err
	}
	missing := 0 // the items of the user may be a second one
	for _, item := range input.Items {
		if path.Base(fileOf(item)) == "Kptfile" {
			missing++
		}
	}
	for i, item := range j.only().list.Items {
		file, kind := fileOf(item), text(item, "kind")
		switch {
		case kind == "Kptfile" && missing > 0 && (file == "Kptfile" || file == ""):
			missing--
		case path.Base(file) == "Kptfile":
			j.problem("items[%d] of kind %q was added to the file %q", i, kind, file)
		}
	}
	if missing > 0 {
		j.problem("the item of kind Kptfile is missing, or in another file")
	}
	return nil
}
