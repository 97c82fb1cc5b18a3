package strictyaml

import "go.yaml.in/yaml/v3"

// entry is one key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// entries are the keys of a mapping, each once.
type entries struct {
	list  []entry
	known map[string]bool // of the keys, once they are many
}

// add adds an entry unless its key is there.
func (s *entries) add(e entry) bool {
	const few = 12
	if s.known == nil {
		for _, other := range s.list {
			if other.key.Value == e.key.Value {
				return false
			}
		}
		if len(s.list) == few {
			s.known = make(map[string]bool, 2*few)
			for _, other := range s.list {
				s.known[other.key.Value] = true
			}
		}
	}
	if s.known[e.key.Value] {
		return false
	}
	if s.known != nil {
		s.known[e.key.Value] = true
	}
	s.list = append(s.list, e)
	return true
}

// entries returns what a mapping holds: its own keys, then those of the mappings that it merges and does not have. It
// reports keys that are repeated, and keys that are not words.
func (d *decoder) entries(mapping *yaml.Node, at *place) []entry {
	own := entries{list: make([]entry, 0, len(mapping.Content)/2)}
	var merged []*yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		switch {
		case isMerge(key):
			merged = append(merged, value)
		case key.Kind != yaml.ScalarNode || isNull(key):
			d.report(RuleType, at, "must have strings as keys, not %s", describe(key))
		case !own.add(entry{key, value}):
			d.report(RuleDuplicate, &place{parent: at, key: key.Value},
				"must be given once: key %q is repeated", shortened(key.Value))
		}
	}
	for _, source := range merged {
		d.merge(&own, source, at)
	}
	return own.list
}

// merge adds what a merge key names: a mapping, or a list of mappings of which the earlier ones win.
func (d *decoder) merge(into *entries, source *yaml.Node, at *place) {
	if source.Kind == yaml.AliasNode {
		if source = d.enter(source, at); source == nil {
			return
		}
		defer d.leave(source)
	}
	if !d.count(at) {
		return
	}
	switch source.Kind {
	case yaml.MappingNode:
		for _, e := range d.entries(source, at) {
			into.add(e)
		}
	case yaml.SequenceNode:
		for _, element := range source.Content {
			d.merge(into, element, at)
		}
	default:
		d.report(RuleType, &place{parent: at, key: "<<"}, "must be a mapping to merge, or a list of them, not %s",
			describe(source))
	}
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

// aliases guards against trees that contain themselves and against those that are small only as text.
type aliases struct {
	open    map[*yaml.Node]bool // the anchored values that are being decoded
	reached int
}

// enter follows an alias; nil, with a problem, where it leads back into what is being decoded.
func (d *decoder) enter(alias *yaml.Node, at *place) *yaml.Node {
	target := alias.Alias
	if target == nil || d.aliases.open[target] {
		d.report(RuleAlias, at, "alias %q must not contain itself", alias.Value)
		return nil
	}
	if d.aliases.open == nil {
		d.aliases.open = map[*yaml.Node]bool{}
	}
	d.aliases.open[target] = true
	return target
}

func (d *decoder) leave(target *yaml.Node) { delete(d.aliases.open, target) }

// count counts the values that aliases lead to. It returns false where there are too many, and reports that once.
func (d *decoder) count(at *place) bool {
	if len(d.aliases.open) == 0 {
		return true
	}
	d.aliases.reached++
	if d.aliases.reached == MaxAliased+1 {
		d.report(RuleAlias, at, "aliases must not lead to more than %d values in one document", MaxAliased)
	}
	return d.aliases.reached <= MaxAliased
}
