package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// channel returns the version that a channel names in the catalog of the highest priority that has the channel.
// Catalogs of equal priority must name the same version.
func (p *pluginVersions) channel(name string) (*semver.Version, listedPlugin, *DocumentError) {
	var found *semver.Version
	var from listedPlugin
	for _, l := range p.listings {
		text, ok := l.Channels[name]
		if !ok || found != nil && l.source.Spec.Priority != from.source.Spec.Priority {
			continue
		}
		v, err := document.ParseStrictVersion(text)
		failed := &DocumentError{Item: l.source.Item, Path: l.channelPath(name)}
		switch {
		case err != nil:
			failed.Message = fmt.Sprintf("channel %q must name a full semver, not %q", name, text)
			return nil, l, failed
		case found == nil:
			found, from = v, l
		case v.String() != found.String():
			failed.Message = fmt.Sprintf("channel %q of plugin %q must name one version, not %s by %s and %s by %s: "+
				"give one catalog a higher priority, or remove the channel from one",
				name, l.Name, found, from.source.label(), v, l.source.label())
			return nil, l, failed
		}
	}
	return found, from, nil
}

func (l listedPlugin) channelPath(name string) krm.Path { return l.path.Key("channels").Key(name) }

// channels returns the names of all channels, sorted.
func (p *pluginVersions) channels() []string {
	names := map[string]bool{}
	for _, l := range p.listings {
		for name := range l.Channels {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// checkChannels reports channels that name a missing or yanked version.
func (c *Catalog) checkChannels(p *pluginVersions) {
	for _, l := range p.listings {
		for _, name := range slices.Sorted(maps.Keys(l.Channels)) {
			if message := p.checkChannel(l, name); message != "" {
				c.problems = append(c.problems, krm.At(l.source.Item, l.channelPath(name), krm.Error, message))
			}
		}
	}
}

func (p *pluginVersions) checkChannel(l listedPlugin, name string) (message string) {
	v, err := document.ParseStrictVersion(l.Channels[name])
	if err != nil {
		return "" // reported by the catalog's own check
	}
	switch named := p.find(v); {
	case named == nil:
		return fmt.Sprintf("channel %q must name a listed version, not %s: %s", name, v, strictyaml.ThereAre(p.versions()))
	case named.yanked != "":
		return fmt.Sprintf("channel %q must not name %s, which is yanked: %q", name, v, named.yanked)
	}
	if _, at, err := p.channel(name); err != nil && at == l {
		return err.Message
	}
	return ""
}
