package runtime

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDepth bounds how deep a value may be nested. It is beyond what
// encoding/json decodes (10,000 arrays and objects, each of which takes an
// interface, a pointer and a composite here), so only a value that contains
// itself reaches it.
const maxDepth = 40_000

// Any writes a decoded value of any type, nil as Null. It sees what the type's
// JSON has: struct members by their json names and without those that are nil,
// the entries of an AdditionalProperties map among them, maps by sorted key.
// A type that marshals itself and whose fields do not show its value (a union,
// a decimal) is taken by what it marshals to, numbers by value. A channel, a
// function, an opaque struct or a value that contains itself cannot be compared
// and equals nothing.
func (h *Hasher) Any(v any) {
	h.begin()
	h.value(v)
	if h.tooDeep && h.depth == 0 {
		h.tooDeep = false
		h.incomparable()
	}
}

// value writes v, the types of decoded JSON without reflection.
func (h *Hasher) value(v any) {
	switch v := v.(type) {
	case nil:
		h.tag(tagNull)
	case string:
		h.writeString(tagString, v)
	case bool:
		h.Bool(v)
	case float64:
		h.Float(v)
	case json.Number:
		h.jsonNumber(v)
	case []any:
		h.array(v)
	case map[string]any:
		h.object(v)
	default:
		h.reflect(reflect.ValueOf(v))
	}
}

func (h *Hasher) reflect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		h.tag(tagNull)
	case reflect.Bool:
		h.Bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		h.Int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		h.Uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		h.Float(v.Float())
	case reflect.String:
		if v.Type() == numberType {
			h.jsonNumber(json.Number(v.String()))
			return
		}
		h.writeString(tagString, v.String())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			h.tag(tagNull)
		} else if h.enter() {
			h.reflect(v.Elem())
			h.leave()
		}
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		if h.enter() {
			h.composite(v)
			h.leave()
		}
	default:
		h.incomparable()
	}
}

// enter goes one level down, unless that is too deep: then everything on the
// way back up is skipped, and [Hasher.Any] makes the value incomparable.
func (h *Hasher) enter() bool {
	if h.depth == maxDepth {
		h.tooDeep = true
	}
	if h.tooDeep {
		return false
	}
	h.depth++
	return true
}

func (h *Hasher) leave() { h.depth-- }

func (h *Hasher) composite(v reflect.Value) {
	p := planOf(v.Type())
	if p.nilIsNull && v.IsNil() {
		h.tag(tagNull)
		return
	}
	switch p.form {
	case formObject:
		if h.defaults != nil {
			h.objectWithDefaults(h.structMembers(p, v))
			return
		}
		h.structure(p, v)
	case formMap:
		if h.defaults != nil {
			h.objectWithDefaults(h.mapMembers(v))
			return
		}
		h.tag(tagObject)
		h.entries(mapEntries(v))
		h.tag(tagObjectEnd)
	case formArray:
		h.tag(tagArray)
		outer := h.defaults
		h.defaults = outer.elements()
		for i := range v.Len() {
			h.reflect(v.Index(i))
		}
		h.defaults = outer
		h.tag(tagArrayEnd)
	case formBytes:
		h.writeBytes(tagBytes, v.Bytes())
	case formRaw:
		h.JSON(v.Bytes())
	case formTime:
		h.Time(v.Convert(timeType).Interface().(time.Time))
	case formNullable:
		h.nullable(v)
	case formJSON, formText, formFile:
		h.within(nil, func() { h.marshaled(p, v) })
	case formOpaque:
		h.incomparable()
	}
}

// structure writes a struct: its members and those of its AdditionalProperties,
// all sorted by name.
func (h *Hasher) structure(p *typePlan, v reflect.Value) {
	var extra []mapEntry
	if p.additional != nil {
		extra = mapEntries(v.FieldByIndex(p.additional))
	}
	h.tag(tagObject)
	for i := range p.members {
		m := &p.members[i]
		for len(extra) > 0 && extra[0].name < m.name {
			h.entries(extra[:1])
			extra = extra[1:]
		}
		if value, present := m.of(v); present {
			h.writeString(tagString, m.name)
			h.reflect(value)
		}
	}
	h.entries(extra)
	h.tag(tagObjectEnd)
}

func (h *Hasher) entries(entries []mapEntry) {
	for _, e := range entries {
		h.writeString(tagString, e.name)
		h.reflect(e.value)
	}
}

// nullable writes a map[bool]T of package nullable: empty for absent, a false
// key for null, a true key for the value.
func (h *Hasher) nullable(v reflect.Value) {
	if value := v.MapIndex(reflect.ValueOf(true).Convert(v.Type().Key())); value.IsValid() {
		h.reflect(value)
		return
	}
	if v.Len() == 0 {
		h.tag(tagNull)
		return
	}
	h.tag(tagExplicitNull)
}

// marshaled writes a value by what its own method makes of it.
func (h *Hasher) marshaled(p *typePlan, v reflect.Value) {
	if p.byPointer {
		if !v.CanAddr() {
			addressable := reflect.New(v.Type()).Elem()
			addressable.Set(v)
			v = addressable
		}
		v = v.Addr()
	}
	if !v.CanInterface() {
		h.incomparable()
		return
	}
	switch m := v.Interface().(type) {
	case file:
		content, err := m.Bytes()
		if err != nil {
			h.incomparable()
			return
		}
		h.writeBytes(tagBytes, content)
	case json.Marshaler:
		h.marshaledJSON(p, m)
	case encoding.TextMarshaler:
		text, err := m.MarshalText()
		if err != nil {
			h.incomparable()
			return
		}
		h.writeBytes(tagString, text)
	}
}

func (h *Hasher) marshaledJSON(p *typePlan, m json.Marshaler) {
	var decoded any
	text, err := m.MarshalJSON()
	if err == nil {
		decoded, err = decodeJSON(text)
	}
	if err != nil {
		h.incomparable()
		return
	}
	if s, ok := decoded.(string); ok && p.embedsTime {
		if instant, err := time.Parse(time.RFC3339Nano, s); err == nil {
			h.Time(instant)
			return
		}
	}
	h.value(decoded)
}

// A mapEntry is one entry of a map, its key in the form of a member name.
type mapEntry struct {
	name  string
	value reflect.Value
}

// mapEntries returns the entries of a map, sorted.
func mapEntries(v reflect.Value) []mapEntry {
	entries := make([]mapEntry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		entries = append(entries, mapEntry{memberName(it.Key()), it.Value()})
	}
	slices.SortFunc(entries, func(a, b mapEntry) int { return strings.Compare(a.name, b.name) })
	return entries
}

// memberName returns the name that encoding/json gives a map's key.
func memberName(key reflect.Value) string {
	if key.Kind() == reflect.String {
		return key.String()
	}
	if key.CanInterface() {
		if m, ok := key.Interface().(encoding.TextMarshaler); ok {
			if text, err := m.MarshalText(); err == nil {
				return string(text)
			}
		}
	}
	if key.CanInt() {
		return strconv.FormatInt(key.Int(), 10)
	}
	if key.CanUint() {
		return strconv.FormatUint(key.Uint(), 10)
	}
	return key.String()
}
