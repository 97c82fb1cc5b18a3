package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// field is one value that a user can give: a field of a config struct, or of options.
type field struct {
	key   string // in the functionConfig
	flag  string // in file mode, empty if there is none
	short string // the flag's letter, empty if there is none
	arg   string // the name of the flag's value in --help, empty for that of its type
	help  string
	value reflect.Value
}

// Field describes a field of a function's config.
type Field struct {
	// Key is its key in the functionConfig.
	Key string
	// Usage is how it is given on the command line, such as "--phases A,B"; empty if it has no flag.
	Usage string
	// Help is what --help says.
	Help string
	// Default is the default value, the elements of a list separated by commas; empty if there is none.
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
		flag := kebab(key)
		if f.Tag.Get("flag") == "-" {
			flag = ""
		}
		fields = append(fields, field{
			key: key, flag: flag, short: f.Tag.Get("short"), arg: f.Tag.Get("arg"), help: f.Tag.Get("help"),
			value: target.FieldByIndex(f.Index),
		})
	}
	return fields
}

// defaultText is the field's value for people, empty if it is the zero value.
func (f field) defaultText() string {
	if f.value.IsZero() || f.value.Kind() == reflect.Map {
		return ""
	}
	if f.value.Kind() == reflect.Slice {
		return strings.Join(f.value.Interface().([]string), ",")
	}
	return fmt.Sprint(f.value.Interface())
}

// usage is how the field is given.
func (f field) usage() string {
	usage := "--" + f.flag
	switch {
	case f.flag == "":
		return f.key + " (no flag)"
	case f.short != "" && f.short != "h":
		usage = "-" + f.short + ", " + usage
	}
	arg := map[reflect.Kind]string{reflect.Int: "N", reflect.Slice: "A,B", reflect.Map: "KEY=VALUE", reflect.String: "TEXT"}
	return strings.TrimSpace(usage + " " + cmp.Or(f.arg, arg[f.value.Kind()]))
}

// flagValue sets a field by a flag; it implements pflag.Value.
type flagValue struct {
	field
	given bool
}

// String returns nothing: --help prints defaults itself.
func (v *flagValue) String() string { return "" }

// Type names the type of the flag.
func (v *flagValue) Type() string { return v.value.Kind().String() }

// Set sets the value. The first value of a list or a map replaces the default, others are added.
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

// splitList splits a list at its newlines, or at commas if it has none. Blanks around an element are removed.
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

// kebab turns a key into a flag's name: runnerNamespace to runner-namespace.
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
