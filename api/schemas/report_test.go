package schemas

import (
	"bytes"
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/commands/local"
	"github.com/resource-plugins/krm-functions/commands/local/plugintest"
	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
)

// reports are the types of the JSON of commands, by the names of the commands.
var reports = map[string]reflect.Type{
	"diff":   reflect.TypeFor[renderdiff.Report](),
	"status": reflect.TypeFor[status.Report](),
	"run":    reflect.TypeFor[local.Run](),
	"test":   reflect.TypeFor[plugintest.Report](),
}

func reportFile(command string) string { return filepath.Join("reports", command+".json") }

// The schemas of the JSON of commands are those of the Go types. UPDATE_GOLDEN updates them. The test is not parallel, since
// another one reads the files after it.
func TestSchemasOfReportsAreThoseOfTheTypes(t *testing.T) {
	for command, of := range reports {
		schema := append(object{
			{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "The JSON of rplug " + command},
		}, reportSchema(t, of)...)
		text, err := json.Marshal(schema)
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, text, "", "  "))
		want.WriteByte('\n')
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.MkdirAll("reports", 0o755))
			require.NoError(t, os.WriteFile(reportFile(command), want.Bytes(), 0o644))
		}
		got, err := os.ReadFile(reportFile(command))
		require.NoError(t, err, "run make golden")
		assert.Equal(t, want.String(), string(got), "%s: run make golden", command)
	}
}

// The schemas accept reports with and without optional fields, and reject those with others.
func TestSchemasOfReports(t *testing.T) {
	t.Parallel()
	for command, of := range reports {
		schema, err := jsonschema.NewCompiler().Compile(reportFile(command))
		require.NoError(t, err)
		full := reflect.New(of)
		fill(full.Elem(), 0)
		for _, value := range []any{full.Interface(), lists(reflect.New(of)).Interface()} {
			text, err := json.Marshal(value)
			require.NoError(t, err)
			require.NoError(t, schema.Validate(parsed(t, string(text))), "%s: %s", command, text)
			other := strings.Replace(string(text), "{", `{"other": 1, `, 1)
			require.Error(t, schema.Validate(parsed(t, other)), command)
		}
	}
}

// reportSchema returns the schema of a type as encoding/json writes it.
func reportSchema(t *testing.T, of reflect.Type) object {
	t.Helper()
	if of.Implements(reflect.TypeFor[json.Marshaler]()) || of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{{"type", "string"}} // times
	}
	switch of.Kind() {
	case reflect.Pointer:
		return reportSchema(t, of.Elem())
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", reportSchema(t, of.Elem())}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", reportSchema(t, of.Elem())}}
	case reflect.Struct:
		var properties object
		var required []string
		for _, f := range jsonFields(of) {
			properties = append(properties, member{f.name, reportSchema(t, f.of)})
			if !f.isOptional {
				required = append(required, f.name)
			}
		}
		schema := object{{"type", "object"}, {"properties", properties}}
		if len(required) > 0 {
			schema = append(schema, member{"required", required})
		}
		return append(schema, member{"additionalProperties", false})
	}
	require.Failf(t, "no rule for a type", "%s", of)
	return nil
}

// jsonField is a field of a JSON object.
type jsonField struct {
	name       string
	of         reflect.Type
	isOptional bool
}

// jsonFields returns the fields of a struct and of those that it embeds.
func jsonFields(of reflect.Type) (fields []jsonField) {
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields = append(fields, jsonFields(f.Type)...)
		case f.IsExported() && name != "-":
			fields = append(fields, jsonField{name, f.Type, strings.Contains(options, "omit")})
		}
	}
	return fields
}

// fill sets the fields of a value, so that none is left out.
func fill(value reflect.Value, depth int) {
	if !value.CanSet() || depth > 20 || value.Type().Implements(reflect.TypeFor[json.Marshaler]()) {
		return // times are left out
	}
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), depth+1)
	case reflect.String:
		value.SetString("x")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(1)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0), depth+1)
	case reflect.Struct:
		for i := range value.NumField() {
			fill(value.Field(i), depth+1)
		}
	}
}

// lists makes the lists of a report empty instead of null, as commands do.
func lists(report reflect.Value) reflect.Value {
	for i := range report.Elem().NumField() {
		if field := report.Elem().Field(i); field.Kind() == reflect.Slice && field.CanSet() {
			field.Set(reflect.MakeSlice(field.Type(), 0, 0))
		}
	}
	return report
}
