package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// channel returns the version that a channel means: that of the highest catalog that has the channel. Two of equal
// priority must mean the same.
func (f *family) channel(name string) (*semver.Version, shelf, *DocumentError) {
	var found *semver.Version
	var from shelf
	for _, s := range f.shelves {
		text, ok := s.Plugin().Channels[name]
		if !ok || found != nil && s.source.Spec.Priority != from.source.Spec.Priority {
			continue
		}
		v, err := StrictVersion(text)
		switch at := s.channelPath(name); {
		case err != nil:
			return nil, s, &DocumentError{Item: s.source.Item, Path: at,
				Message: fmt.Sprintf("channel %q must name a full semver, not %q", name, text)}
		case found != nil && v.String() != found.String():
			return nil, s, &DocumentError{Item: s.source.Item, Path: at, Message: fmt.Sprintf(
				"channel %q of plugin %q must mean one version, not %s by %s and %s by %s: "+
					"give one catalog a higher priority, or remove the channel from one",
				name, s.Plugin().Name, found, from.source.label(), v, s.source.label())}
		case found == nil:
			found, from = v, s
		}
	}
	return found, from, nil
}

// channels returns the names of all channels, sorted.
func (f *family) channels() []string {
	names := map[string]bool{}
	for _, s := range f.shelves {
		for name := range s.Plugin().Channels {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// checkChannels reports channels that lead nowhere, or to what must not be chosen.
func (c *Catalog) checkChannels() {
	for _, s := range c.sources {
		for i := range s.Spec.Plugins {
			p := &s.Spec.Plugins[i]
			for _, name := range slices.Sorted(maps.Keys(p.Channels)) {
				c.checkChannel(shelf{s, i}, name)
			}
		}
	}
}

func (c *Catalog) checkChannel(s shelf, name string) {
	v, err := StrictVersion(s.Plugin().Channels[name])
	f := c.families[s.Plugin().Name]
	if err != nil || f == nil {
		return // which checking the catalog by itself told
	}
	e := f.find(v)
	message := ""
	switch {
	case e == nil:
		message = fmt.Sprintf("channel %q must name a version that is listed, not %s: %s", name, v, thereAre(f.versions()))
	case e.yanked() != "":
		message = fmt.Sprintf("channel %q must not name %s, which is yanked: %q", name, v, e.yanked())
	default:
		if _, at, err := f.channel(name); err != nil && at == s {
			message = err.Message
		}
	}
	if message != "" {
		c.problems = append(c.problems, krm.At(s.source.Item, s.channelPath(name), krm.Error, message))
	}
}

func (s shelf) channelPath(name string) krm.Path {
	return PluginPath(s.plugin).Key("channels").Key(name)
}
