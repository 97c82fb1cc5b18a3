package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// inForce returns the text of --print-config: a YAML mapping with the keys of the config and of the project file, and the
// source of each value in a comment.
func (r *run) inForce() string {
	var s Settings
	if _, draws := r.mode().(*Drawing); !draws {
		for _, f := range r.configFlags() {
			r.printField(&s, f)
		}
	}
	for _, f := range r.commonFlags() {
		switch f.Key {
		case "set":
			s.Variables(r.values)
		case "exclude":
			s.Exclusions(r.project, r.Exclude...)
		case "values", "noProject", "printConfig", "explain", "helpAll", "help", "version":
		default:
			r.printField(&s, f)
		}
	}
	if slices.Contains(r.Project, keyCatalogs) {
		s.Catalogs(r.project, r.catalogs)
	}
	return s.Text(r.Command, r.project.Name())
}

// printField prints a field that a flag, the project file or the default has set.
func (r *run) printField(s *Settings, f Field) {
	source := sourceDefault
	if r.flags.Changed(f.flag) {
		source = "--" + f.flag
	}
	from := func(path krm.Path) string { return cmp.Or(r.places[path], r.places[krm.Path(f.Key)], source) }
	key := krm.Path(f.Key)
	switch value := f.value.Interface().(type) {
	case []string:
		var all []Setting
		for i, one := range value {
			all = append(all, Setting{one, from(key.Index(i))})
		}
		s.List(f.Key, all)
	case map[string]string:
		all := map[string]Setting{}
		for name, text := range value {
			all[name] = Setting{text, from(key.Key(name))}
		}
		s.Map(f.Key, all)
	case string:
		s.String(f.Key, Setting{value, from(key)})
	default:
		s.line(fmt.Sprintf("%s: %v", f.Key, value), from(key))
	}
}
