package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Field is one value that a user can give: a field of a config struct, or of options.
type Field struct {
	// Key is its key in the functionConfig.
	Key string
	// Help is its description in --help.
	Help string

	flag  string   // in file mode; empty if it has no flag
	short string   // the flag's letter; empty without one
	arg   string   // the name of the flag's value in --help, empty for that of its type
	enum  []string // the values that it, or each element of it, may have; nil for any
	value reflect.Value
	same  []reflect.Value // fields of other parts of the config that have its value
}

// Composite is a config that consists of those of other functions. A field that several parts have is one flag.
type Composite interface {
	Config
	// Parts returns pointers to the parts.
	Parts() []any
	// Without returns the keys of fields that are not flags.
	Without() []string
}

// Fields returns the fields of the function's config, in the order of --help.
func (f Function) Fields() []Field { return fieldsOf(f.Config()) }

// fieldsOf returns the fields of a config, in their order.
func fieldsOf(config any) []Field {
	whole, ok := config.(Composite)
	if !ok {
		return fieldsOfStruct(config)
	}
	var fields []Field
	for _, part := range whole.Parts() {
		for _, one := range fieldsOfStruct(part) {
			if i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == one.Key }); i >= 0 {
				fields[i].same = append(fields[i].same, one.value)
			} else if !slices.Contains(whole.Without(), one.Key) {
				fields = append(fields, one)
			}
		}
	}
	return fields
}

// fieldsOfStruct returns the fields of the struct that config points to, in its order.
func fieldsOfStruct(config any) []Field {
	target := reflect.ValueOf(config).Elem()
	var fields []Field
	for _, f := range reflect.VisibleFields(target.Type()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		one := Field{Key: key, Help: f.Tag.Get("help"), short: f.Tag.Get("short"), arg: f.Tag.Get("arg")}
		if enum := f.Tag.Get("enum"); enum != "" {
			one.enum = strings.Split(enum, ",")
		}
		if one.value = target.FieldByIndex(f.Index); f.Tag.Get("flag") != "-" {
			one.flag = kebab(key)
		}
		fields = append(fields, one)
	}
	return fields
}

// Default returns the default value, the elements of a list separated by commas; empty if the field has no default.
func (f Field) Default() string {
	switch value := f.value.Interface().(type) {
	case map[string]string:
		return ""
	case []string:
		return strings.Join(value, ",")
	default:
		return fmt.Sprint(value)
	}
}

// Usage returns how the field is given on the command line, such as "--phases A,B"; empty if it has no flag.
func (f Field) Usage() string {
	if f.flag == "" {
		return ""
	}
	usage := "--" + f.flag
	if f.short != "" && f.short != "h" {
		usage = "-" + f.short + ", " + usage
	}
	return strings.TrimSpace(usage + " " + f.argument())
}

// set sets the value of the field in each part of the config that has it.
func (f Field) set(value reflect.Value) {
	f.value.Set(value)
	for _, same := range f.same {
		same.Set(value)
	}
}

// argument names the value of the flag, empty for a switch.
func (f Field) argument() string {
	arg := map[reflect.Kind]string{reflect.Int: "N", reflect.Slice: "A,B", reflect.Map: "KEY=VALUE", reflect.String: "TEXT"}
	return cmp.Or(f.arg, arg[f.value.Kind()])
}

// flagValue sets a field by a flag; it implements pflag.Value.
type flagValue struct {
	Field
	given bool
}

// String returns nothing: --help prints defaults itself.
func (v *flagValue) String() string { return "" }

// Type names the value of the flag in a help text that pflag writes.
func (v *flagValue) Type() string {
	if v.value.Kind() == reflect.Bool {
		return "bool"
	}
	return v.argument()
}

// Set sets the value. The first value of a list or a map replaces the default, others are added.
func (v *flagValue) Set(text string) error {
	err := v.parse(text)
	v.set(v.value)
	return err
}

func (v *flagValue) parse(text string) error {
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
			v.value.Set(reflect.MakeSlice(v.value.Type(), 0, 0))
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

var upper = regexp.MustCompile("[A-Z]")

// kebab turns a key into a flag's name: runnerNamespace to runner-namespace.
func kebab(key string) string { return strings.ToLower(upper.ReplaceAllString(key, "-$0")) }
