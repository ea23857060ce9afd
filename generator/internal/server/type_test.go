package server

import (
	"strings"
	"testing"
)

func TestTypes(t *testing.T) {
	source := strictServer(`import (
	"net/http"
	"time"
	"encoding/json"
	openapi_types "github.com/oapi-codegen/runtime/types"
	"github.com/oapi-codegen/nullable"
	"github.com/shopspring/decimal"
	. "example.com/models"
)
`, "http.ResponseWriter") + `
type (
	Text string
	Alias = Text
	Cents int64
	Id openapi_types.UUID
	IdAlias = openapi_types.UUID
	Moment time.Time
	Loop Loop
	Generic[T any] struct{ V T }
	Union struct { union json.RawMessage }
	Lost Union
	PayParams struct {
		A string
		B Text
		C Alias
		D *Cents
		E []byte
		F []string
		G Id
		H IdAlias
		I Moment
		J json.RawMessage
		K nullable.Nullable[Text]
		L decimal.Decimal
		M Model
		N map[string]int
		O any
		P openapi_types.Email
		Q openapi_types.Date
		R openapi_types.File
		S Loop
		T Generic[int]
		U float32
		V uint8
		W struct{ X int }
		X Union
		Y Lost
		Z *(*bool)
	}
)
func (u *Union) UnmarshalJSON(b []byte) error { return nil }
`
	p, err := Read(writePackage(t, map[string]string{"api.gen.go": source}))
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		kind     Kind
		basic    string
		defined  bool
		pointers int
	}
	wants := []want{
		{String, "string", false, 0}, {String, "string", true, 0}, {String, "string", true, 0}, {Int, "int64", true, 1},
		{Bytes, "", false, 0}, {Composite, "", false, 0}, {UUID, "", true, 0}, {UUID, "", false, 0}, {Time, "", true, 0},
		{RawJSON, "", false, 0}, {Nullable, "", false, 0}, {Foreign, "", false, 0}, {Foreign, "", false, 0},
		{Composite, "", false, 0}, {Composite, "any", false, 0}, {String, "string", true, 0}, {Date, "", false, 0},
		{File, "", false, 0}, {Composite, "", true, 0}, {Composite, "", false, 0}, {Float, "float32", false, 0},
		{Uint, "uint8", false, 0}, {Struct, "", false, 0}, {Struct, "", true, 0}, {Struct, "", true, 0}, {Bool, "bool", false, 2},
	}
	fields := p.Operations[0].Params.Fields()
	if len(fields) != len(wants) {
		t.Fatalf("%d fields, want %d", len(fields), len(wants))
	}
	for i, f := range fields {
		typ := f.Type
		for range wants[i].pointers {
			if typ.Kind != Pointer {
				t.Fatalf("%s: %+v is no pointer", f.Name, typ)
			}
			typ = typ.Elem()
		}
		if got := (want{typ.Kind, typ.Basic, typ.Defined, wants[i].pointers}); got != wants[i] {
			t.Errorf("%s %s: %+v, want %+v", f.Name, f.Type.Text, got, wants[i])
		}
	}
	byName := func(name string) Type { return fields[strings.Index("ABCDEFGHIJKLMNOPQRSTUVWXYZ", name)].Type }
	if got := byName("K").Elem(); got.Kind != String || !got.Defined {
		t.Errorf("inside nullable: %+v", got)
	}
	if got := byName("M").Import; got.Path != "example.com/models" || got.Name != "Model" {
		t.Errorf("from a dot import: %+v", got)
	}
	if union, lost := byName("X"), byName("Y"); !union.IsUnion() || !union.Decodes || !lost.IsUnion() || lost.Decodes {
		t.Errorf("union %+v, lost %+v", union, lost)
	}
}

func TestMember(t *testing.T) {
	source := strictServer(`import "net/http"`, "http.ResponseWriter") + strings.ReplaceAll(`
type Base struct { Id string "json:'id'"; Shadowed int "json:'shadowed'" }
type Deep struct { *Base "yaml:',inline'" }
type Named struct { Inner string "json:'inner'" }
type PayParams struct {
	Deep "yaml:',inline'"
	Named "json:'named'"
	Shadowed string "json:'shadowed,omitempty'"
	Hidden string "json:'-'"
	Plain string
	lower string "json:'lower'"
	X, Y int "json:',omitempty'"
	Limit int "form:'limit' json:'limit'"
	Header int "json:'LIMIT'"
}
`, "'", `\"`)
	p, err := Read(writePackage(t, map[string]string{"api.gen.go": source}))
	if err != nil {
		t.Fatal(err)
	}
	op := &p.Operations[0]
	for _, test := range []struct{ member, want string }{
		{"id", "Deep.Base.Id"},
		{"shadowed", "Shadowed"},
		{"named", "Named"},
		{"inner", ""},
		{"Hidden", ""},
		{"Plain", "Plain"},
		{"lower", ""},
		{"Y", "Y"},
	} {
		path, ok := op.Params.Member(test.member)
		if got := names(path); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", test.member, got, ok, test.want)
		}
	}
	query, _ := op.QueryParameter("limit")
	header, _ := op.HeaderParameter("limit")
	if names(query) != "Limit" || names(header) != "Header" {
		t.Errorf("query %q, header %q", names(query), names(header))
	}
}

func names(path []Field) string {
	list := make([]string, len(path))
	for i, f := range path {
		list[i] = f.Name
	}
	return strings.Join(list, ".")
}
