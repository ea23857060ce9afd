package runtime

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// A form says how the values of a composite type are written.
type form int

const (
	formOpaque   form = iota // a struct that shows nothing
	formObject               // a struct, by its members
	formMap                  // an object, by its entries
	formArray                // a slice or array, by its elements
	formBytes                // []byte
	formRaw                  // json.RawMessage
	formTime                 // time.Time and types made of it
	formNullable             // nullable.Nullable: map[bool]T
	formJSON                 // by its MarshalJSON
	formText                 // by its MarshalText
	formFile                 // by its Bytes
)

// A typePlan is what [Hasher.Any] has to know about a composite type.
type typePlan struct {
	form       form
	nilIsNull  bool     // a map or slice, and nil is Null
	byPointer  bool     // the marshaling method belongs to the pointer
	embedsTime bool     // a struct of an embedded time.Time alone
	members    []member // of formObject, sorted by name
	additional []int    // index of the AdditionalProperties map, nil for none
}

// A member is a struct field as encoding/json sees it.
type member struct {
	name   string
	index  []int
	tagged bool
}

// plans holds the typePlan of each type that was met: a program's types are few
// and do not change. It is the one piece of package state that grows after
// start, kept because making a plan costs far more than hashing by it (see
// BenchmarkPlan).
var plans sync.Map // of reflect.Type to *typePlan

func planOf(t reflect.Type) *typePlan {
	if p, ok := plans.Load(t); ok {
		return p.(*typePlan)
	}
	p, _ := plans.LoadOrStore(t, newPlan(t))
	return p.(*typePlan)
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	rawType     = reflect.TypeFor[json.RawMessage]()
	numberType  = reflect.TypeFor[json.Number]()
	jsonMethods = reflect.TypeFor[json.Marshaler]()
	textMethods = reflect.TypeFor[encoding.TextMarshaler]()
	fileMethods = reflect.TypeFor[file]()
)

// A file is what oapi-codegen decodes binary content to.
type file interface {
	Bytes() ([]byte, error)
	Filename() string
}

func newPlan(t reflect.Type) *typePlan {
	switch t.Kind() {
	case reflect.Struct:
		return newStructPlan(t)
	case reflect.Map:
		if t.Key().Kind() == reflect.Bool {
			return &typePlan{form: formNullable}
		}
		return methodPlan(t, typePlan{form: formMap, nilIsNull: true})
	case reflect.Slice:
		p := typePlan{form: formArray, nilIsNull: true}
		if t == rawType {
			p.form = formRaw
			return &p
		}
		if t.Elem().Kind() == reflect.Uint8 {
			p.form = formBytes
		}
		return methodPlan(t, p)
	default:
		return methodPlan(t, typePlan{form: formArray})
	}
}

// methodPlan returns p, or a plan by a method of t that marshals it.
func methodPlan(t reflect.Type, p typePlan) *typePlan {
	for _, way := range []struct {
		methods reflect.Type
		form    form
	}{{fileMethods, formFile}, {jsonMethods, formJSON}, {textMethods, formText}} {
		if t.Implements(way.methods) {
			p.form = way.form
			return &p
		}
		if reflect.PointerTo(t).Implements(way.methods) {
			p.form, p.byPointer = way.form, true
			return &p
		}
	}
	return &p
}

func newStructPlan(t reflect.Type) *typePlan {
	if t.ConvertibleTo(timeType) {
		return &typePlan{form: formTime}
	}
	p := typePlan{form: formObject}
	var fields fieldWalk
	fields.walk(t, nil, nil)
	p.members = dominant(fields.members)
	for i := range t.NumField() {
		if f := t.Field(i); isAdditional(f) {
			p.additional = f.Index
		}
	}
	p.embedsTime = t.NumField() == 1 && t.Field(0).Anonymous && t.Field(0).Type == timeType
	if p.additional != nil && !fields.hidden {
		// It has a MarshalJSON, which does nothing but merge the two.
		return &p
	}
	if fields.hidden && len(p.members) == 0 {
		p.form = formOpaque
	}
	return methodPlan(t, p)
}

// isAdditional reports whether f is the map in which oapi-codegen keeps the
// members that a schema does not name.
func isAdditional(f reflect.StructField) bool {
	return f.Name == "AdditionalProperties" && f.Tag.Get("json") == "-" &&
		f.Type.Kind() == reflect.Map && f.Type.Key().Kind() == reflect.String
}

// A fieldWalk collects the fields of a struct and of those embedded in it.
type fieldWalk struct {
	members []member
	hidden  bool // there are unexported fields, which only a method can show
}

// walk visits the fields of t. Index and path lead to it: the positions of, and
// the structs that are, around it.
func (w *fieldWalk) walk(t reflect.Type, index []int, path []reflect.Type) {
	if slices.Contains(path, t) {
		return
	}
	path = append(path, t)
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		at := append(slices.Clone(index), i)
		embedded := f.Type
		if f.Anonymous && embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
			w.walk(embedded, at, path)
		case !f.IsExported():
			w.hidden = true
		default:
			w.members = append(w.members, member{name: cmp.Or(name, f.Name), index: at, tagged: name != ""})
		}
	}
}

// dominant sorts the members by name and drops those that encoding/json hides:
// of one name the least embedded counts, among those the tagged one, and where
// two are left none.
func dominant(members []member) []member {
	slices.SortStableFunc(members, func(a, b member) int {
		return cmp.Or(strings.Compare(a.name, b.name), len(a.index)-len(b.index), boolOrder(b.tagged)-boolOrder(a.tagged))
	})
	var kept []member
	for i := 0; i < len(members); {
		end := i + 1
		for end < len(members) && members[end].name == members[i].name {
			end++
		}
		first := members[i]
		tie := end > i+1 && len(members[i+1].index) == len(first.index) && members[i+1].tagged == first.tagged
		if !tie {
			kept = append(kept, first)
		}
		i = end
	}
	return kept
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// of returns the member of struct v. One that is nil, or is in an embedded
// struct that is nil, is absent.
func (m *member) of(v reflect.Value) (value reflect.Value, present bool) {
	for i, at := range m.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice:
		return v, !v.IsNil()
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.Bool {
			return v, v.Len() > 0
		}
		return v, !v.IsNil()
	}
	return v, true
}
