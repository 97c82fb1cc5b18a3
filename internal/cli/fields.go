package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// field is one value that a user can give: a field of a config struct, or of options.
type field struct {
	key   string // in the functionConfig
	flag  string // in file mode, empty where there is none
	help  string
	value reflect.Value
}

// Field is a field of a function's config, as its manual tells of it.
type Field struct {
	// Key is its key in the functionConfig.
	Key string
	// Usage is how it is given on the command line, such as "--phases A,B"; empty where it has no flag.
	Usage string
	// Help is what --help says.
	Help string
	// Default is the value without one, empty where there is none. The elements of a list have commas between.
	Default string
}

// Fields returns the fields of the function's config, in the order of --help.
func (f Function) Fields() []Field {
	fields := fieldsOf(f.Config())
	all := make([]Field, 0, len(fields))
	for _, one := range fields {
		public := Field{Key: one.key, Help: one.help, Default: one.defaultText()}
		if kind := one.value.Kind(); kind == reflect.Bool || kind == reflect.Int {
			public.Default = fmt.Sprint(one.value.Interface())
		}
		if one.flag != "" {
			public.Usage = one.usage()
		}
		all = append(all, public)
	}
	return all
}

// fieldsOf returns the fields of the struct that config points to, in its order.
func fieldsOf(config any) []field {
	target := reflect.ValueOf(config).Elem()
	var fields []field
	for _, f := range reflect.VisibleFields(target.Type()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		one := field{key: key, flag: kebab(key), help: f.Tag.Get("help"), value: target.FieldByIndex(f.Index)}
		if f.Tag.Get("flag") == "-" {
			one.flag = ""
		}
		fields = append(fields, one)
	}
	return fields
}

// defaultText is the field's value for people, empty where it is the zero value.
func (f field) defaultText() string {
	if f.value.IsZero() || f.value.Kind() == reflect.Map {
		return ""
	}
	if f.value.Kind() == reflect.Slice {
		return strings.Join(f.value.Interface().([]string), ",")
	}
	return fmt.Sprint(f.value.Interface())
}

// placeholder says what a flag takes.
func (f field) placeholder() string {
	switch f.value.Kind() {
	case reflect.Bool:
		return ""
	case reflect.Int:
		return " N"
	case reflect.Slice:
		return " A,B"
	case reflect.Map:
		return " KEY=VALUE"
	default:
		return " TEXT"
	}
}

// flagValue lets a flag set a field; it implements pflag.Value.
type flagValue struct {
	field
	given bool
}

// String returns nothing: help has its own way to tell defaults.
func (v *flagValue) String() string { return "" }

// Type names what the flag takes, for pflag.
func (v *flagValue) Type() string { return v.value.Kind().String() }

// Set takes the flag's value. Of lists and maps the first one given replaces the default, and others are added.
func (v *flagValue) Set(text string) error {
	first := !v.given
	v.given = true
	switch v.value.Kind() {
	case reflect.Bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("must be true or false, not %q", text)
		}
		v.value.SetBool(on)
	case reflect.Int:
		number, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("must be a whole number, not %q", text)
		}
		v.value.SetInt(int64(number))
	case reflect.Slice:
		if first {
			v.value.SetZero()
		}
		v.value.Set(reflect.AppendSlice(v.value, reflect.ValueOf(splitList(text))))
	case reflect.Map:
		if first {
			v.value.Set(reflect.MakeMap(v.value.Type()))
		}
		return addPair(v.value.Interface().(map[string]string), text)
	default:
		v.value.SetString(text)
	}
	return nil
}

// splitList splits a list at its newlines, or at commas where it has none. Blanks around an element do not count.
func splitList(text string) []string {
	separator := ","
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	var list []string
	for element := range strings.SplitSeq(text, separator) {
		if element = strings.TrimSpace(element); element != "" {
			list = append(list, element)
		}
	}
	return list
}

// addPair adds `key=value`. The same key with another value is an error.
func addPair(pairs map[string]string, text string) error {
	key, value, found := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !found || key == "" {
		return fmt.Errorf("must be KEY=VALUE, not %q", text)
	}
	if other, ok := pairs[key]; ok && other != value {
		return fmt.Errorf("must give %q one value, not two", key)
	}
	pairs[key] = value
	return nil
}

// kebab turns a config's key into a flag's name: runnerNamespace to runner-namespace.
func kebab(key string) string {
	var b strings.Builder
	for i, c := range key {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
