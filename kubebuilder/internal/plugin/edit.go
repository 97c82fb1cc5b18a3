package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// edit starts a new version of a plugin, and keeps the document of the current one.
func (p *workspace) edit(args arguments) error {
	if err := args.required(flagPlugin, flagTo); err != nil {
		return err
	}
	bare := scaffold.BareName(args[flagPlugin])
	file, plugin, err := p.plugin(bare)
	if err != nil {
		return fmt.Errorf("--%s: %w", flagPlugin, err)
	}
	present, err := document.ParsePluginName(plugin.Name)
	if err != nil {
		return fmt.Errorf("%s: metadata.name: %w", file, err)
	}
	to, err := document.ParseVersion(args[flagTo])
	switch {
	case err != nil:
		return fmt.Errorf("--%s: %w", flagTo, err)
	case to.Equal(present.Version):
		return nil
	case to.LessThan(present.Version):
		return fmt.Errorf("--%s: must be higher than %s, which %s has, not %q", flagTo, present.Version, file, args[flagTo])
	}
	text, _ := p.read(file)
	kept := scaffold.KeptFile(present)
	if before, exists := p.read(kept); exists && before != text {
		return fmt.Errorf("%s exists with other content than %s, which has the same version: remove one of them", kept, file)
	}
	after, err := renamed(file, text, document.PluginName{Bare: present.Bare, Version: to}.String())
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	p.set(kept, text)
	p.set(file, after)
	p.addResources(kept)
	return nil
}

// renamed changes the name in a document, and no other bytes.
func renamed(path, text, name string) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return "", err
	}
	item := krm.FromNode(&root, path)
	change, err := edit.NewChange(path, []byte(text))
	if err != nil {
		return "", err
	}
	if err := change.Set(item.PlaceOf("metadata.name"), item.Name(), name); err != nil {
		return "", err
	}
	after, err := change.Bytes()
	return string(after), err
}

// addResources adds files to the kustomization.
func (p *workspace) addResources(paths ...string) {
	byHand := "add " + strings.Join(paths, ", ") + " to resources"
	p.edits(scaffold.KustomizationFile, byHand, func(before string) (string, error) {
		return withResources(before, paths)
	})
}

// withResources adds missing entries to the resources of a kustomization, and changes no other bytes.
func withResources(text string, paths []string) (string, error) {
	_, list, err := resourcesOf(text)
	if err != nil {
		return "", err
	}
	if list == nil || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
		return "", errors.New("resources must be a list with an entry a line")
	}
	var added strings.Builder
	last := list.Content[len(list.Content)-1]
	for _, path := range paths {
		if !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == path }) {
			added.WriteString(strings.Repeat(" ", list.Column-1) + "- " + path + "\n")
		}
	}
	lines := strings.SplitAfter(text, "\n")
	at := last.Line // line numbers start at 1, so this is the index of the next line
	if added.Len() > 0 && !strings.HasSuffix(lines[at-1], "\n") {
		lines[at-1] += "\n"
	}
	return strings.Join(lines[:at], "") + added.String() + strings.Join(lines[at:], ""), nil
}

// resourcesOf returns the key and the list of the resources of a kustomization; nil if it has no such list.
func resourcesOf(text string) (key, list *yaml.Node, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, nil, err
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, nil, errors.New("it must be one object")
	}
	fields := root.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i].Value == "resources" && fields[i+1].Kind == yaml.SequenceNode {
			return fields[i], fields[i+1], nil
		}
	}
	return nil, nil, nil
}
