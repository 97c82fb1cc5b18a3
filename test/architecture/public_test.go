package architecture

import (
	"fmt"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// public are the packages that other programs may import.
var public = []string{"./api/v1alpha1", "./pkg/krm", "./pkg/krm/field", "./pkg/validate", "./pkg/resolve", "./pkg/render", "./pkg/render/sandbox"}

// Public functions must not require types that other programs cannot import.
func TestPublicSignaturesNameNoInternalType(t *testing.T) {
	t.Parallel()
	for _, p := range loadTypes(t, public...) {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			if object := scope.Lookup(name); object.Exported() {
				v := visitor{t: t, in: p.PkgPath + "." + name, seen: map[types.Type]bool{}}
				v.object(object)
			}
		}
	}
}

func loadTypes(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir:  checkout.Root(), Env: append(os.Environ(), "GOWORK=off"),
	}
	loaded, err := packages.Load(config, patterns...)
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(loaded))
	return loaded
}

// visitor visits the types that exported names expose.
type visitor struct {
	t    *testing.T
	in   string
	seen map[types.Type]bool
}

func (v *visitor) object(object types.Object) {
	if name, ok := object.(*types.TypeName); ok {
		v.declared(name)
		return
	}
	v.visit(object.Type())
}

// declared visits the exported fields and methods of a type declaration.
func (v *visitor) declared(name *types.TypeName) {
	named, ok := types.Unalias(name.Type()).(*types.Named)
	if !ok {
		v.visit(name.Type())
		return
	}
	v.visit(named.Underlying())
	for method := range named.Methods() {
		if method.Exported() {
			v.visit(method.Type())
		}
	}
}

func (v *visitor) visit(t types.Type) {
	if v.seen[t] {
		return
	}
	v.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		v.visit(types.Unalias(t))
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil {
			assert.False(v.t, strings.HasPrefix(p.Path(), module+"internal/"), "%s must not name %s", v.in, t)
			assert.True(v.t, p.Path() == "" || !strings.HasPrefix(p.Path(), module) || t.Obj().Exported(),
				"%s must not name %s, which is not exported", v.in, t)
		}
		for argument := range t.TypeArgs().Types() {
			v.visit(argument)
		}
	case *types.Pointer:
		v.visit(t.Elem())
	case *types.Slice:
		v.visit(t.Elem())
	case *types.Array:
		v.visit(t.Elem())
	case *types.Map:
		v.visit(t.Key())
		v.visit(t.Elem())
	case *types.Chan:
		v.visit(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				v.visit(field.Type())
			}
		}
	case *types.Signature:
		v.tuple(t.Params())
		v.tuple(t.Results())
	case *types.Interface:
		for method := range t.Methods() {
			v.visit(method.Type())
		}
	case *types.Basic, *types.TypeParam:
	default:
		require.Fail(v.t, fmt.Sprintf("%s: %T is not known here", v.in, t))
	}
}

func (v *visitor) tuple(tuple *types.Tuple) {
	for variable := range tuple.Variables() {
		v.visit(variable.Type())
	}
}
