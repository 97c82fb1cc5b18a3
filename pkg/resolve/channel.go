package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// channel returns the version that a channel names in the catalog of the highest priority that has the channel. Two of
// equal priority must name the same.
func (p *pluginVersions) channel(name string) (*semver.Version, catalogEntry, *DocumentError) {
	var found *semver.Version
	var from catalogEntry
	for _, e := range p.listings {
		text, ok := e.listed().Channels[name]
		if !ok || found != nil && e.source.Spec.Priority != from.source.Spec.Priority {
			continue
		}
		v, err := version.ParseStrict(text)
		switch at := e.channelPath(name); {
		case err != nil:
			return nil, e, &DocumentError{Item: e.source.Item, Path: at,
				Message: fmt.Sprintf("channel %q must name a full semver, not %q", name, text)}
		case found != nil && v.String() != found.String():
			return nil, e, &DocumentError{Item: e.source.Item, Path: at, Message: fmt.Sprintf(
				"channel %q of plugin %q must mean one version, not %s by %s and %s by %s: "+
					"give one catalog a higher priority, or remove the channel from one",
				name, e.listed().Name, found, from.source.label(), v, e.source.label())}
		case found == nil:
			found, from = v, e
		}
	}
	return found, from, nil
}

// channels returns the names of all channels, sorted.
func (p *pluginVersions) channels() []string {
	names := map[string]bool{}
	for _, e := range p.listings {
		for name := range e.listed().Channels {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// checkChannels reports channels that name a version that does not exist or must not be chosen.
func (c *Catalog) checkChannels() {
	for _, s := range c.sources {
		for i := range s.Spec.Plugins {
			p := &s.Spec.Plugins[i]
			for _, name := range slices.Sorted(maps.Keys(p.Channels)) {
				c.checkChannel(catalogEntry{s, i}, name)
			}
		}
	}
}

func (c *Catalog) checkChannel(e catalogEntry, name string) {
	v, err := version.ParseStrict(e.listed().Channels[name])
	p := c.plugins[e.listed().Name]
	if err != nil || p == nil {
		return // reported by the catalog's own check
	}
	message := ""
	switch named := p.find(v); {
	case named == nil:
		message = fmt.Sprintf("channel %q must name a version that is listed, not %s: %s", name, v, thereAre(p.versions()))
	case named.yanked() != "":
		message = fmt.Sprintf("channel %q must not name %s, which is yanked: %q", name, v, named.yanked())
	default:
		if _, at, err := p.channel(name); err != nil && at == e {
			message = err.Message
		}
	}
	if message != "" {
		c.problems = append(c.problems, krm.At(e.source.Item, e.channelPath(name), krm.Error, message))
	}
}

func (e catalogEntry) channelPath(name string) krm.Path {
	return pluginPath(e.plugin).Key("channels").Key(name)
}
