package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// workspace is the universe of a request with its changes.
type workspace struct {
	universe map[string]string
	changed  map[string]string
	deleted  []string
	// notes are lines for people.
	notes []string
}

func newWorkspace(universe map[string]string) *workspace {
	return &workspace{universe: universe, changed: map[string]string{}}
}

func (p *workspace) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// read returns the content of a file, including changes.
func (p *workspace) read(path string) (content string, exists bool) {
	if content, exists = p.changed[path]; exists {
		return content, true
	}
	content, exists = p.universe[path]
	return content, exists && !slices.Contains(p.deleted, path)
}

// set changes a file. If the content equals that of the universe, the file is not in the response.
func (p *workspace) set(path, content string) {
	if before, existed := p.universe[path]; existed && before == content {
		delete(p.changed, path)
		return
	}
	p.changed[path] = content
}

// add adds files. An existing file is not replaced, since the user may have edited it.
func (p *workspace) add(files scaffold.Files) error {
	for _, path := range files.Paths() {
		if problem := v1alpha1.CheckUniversePath(path); problem != "" {
			return errors.New("a path " + problem)
		}
		switch before, exists := p.read(path); {
		case !exists:
			p.set(path, files[path])
		case before != files[path]:
			p.note("%s is kept: it has other content; remove it to have it made", path)
		}
	}
	return nil
}

// edits changes a file if it exists. If its content is unexpected, a note explains how to change it by hand.
func (p *workspace) edits(path, byHand string, change func(before string) (after string, err error)) {
	before, exists := p.read(path)
	if !exists {
		return
	}
	after, err := change(before)
	if err != nil {
		p.note("%s is kept: %v: %s", path, err, byHand)
		return
	}
	p.set(path, after)
}

// flagErrors replaces options in an error with the names of their flags.
func flagErrors(err error, flags map[krm.Path]string) error {
	var problem krm.OptionErrors
	if !errors.As(err, &problem) {
		return err
	}
	errs := make([]error, len(problem))
	for i, option := range problem {
		flag, found := flags[option.Option]
		if !found {
			flag = string(option.Option)
		}
		errs[i] = fmt.Errorf("--%s: %s", flag, strings.TrimPrefix(option.Message, "name "))
	}
	return errors.Join(errs...)
}
