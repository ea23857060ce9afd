package spec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	gocmp "github.com/google/go-cmp/cmp"
)

// This file compares what this package reads with what kin-openapi reads, which
// oapi-codegen goes by. Both answers are brought into one form.

// An outline is what a contract can depend on in a document.
type outline struct {
	Title      string
	Operations map[string]operationOutline // by method and path
}

type operationOutline struct {
	ID         string
	Secured    bool
	Parameters map[string]schemaOutline // by place and name
	Body       *bodyOutline
	Responses  map[string][]string // media types by status
}

type bodyOutline struct {
	Required bool
	Content  map[string]schemaOutline
}

type schemaOutline struct {
	Required   bool
	Type       string
	Format     string
	Nullable   bool
	Default    string
	Properties map[string]schemaOutline
}

// maxOutline is how deep properties are compared.
const maxOutline = 4

func TestAgreesWithKin(t *testing.T) {
	for _, file := range documents(t) {
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "../../../"), func(t *testing.T) {
			loader := openapi3.NewLoader()
			loader.IsExternalRefsAllowed = true
			theirs, err := loader.LoadFromFile(file)
			if err != nil {
				t.Skipf("kin-openapi does not load it: %.200v", err)
			}
			ours, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(kinOutline(theirs), ourOutline(t, ours)); d != "" {
				t.Errorf("readings differ (-kin-openapi +idemgen):\n%.4000s", d)
			}
		})
	}
}

// documents lists the documents of testdata and of the examples, and those of
// the folder that IDEMGEN_SPECS names, if it does.
func documents(t *testing.T) []string {
	t.Helper()
	roots := []string{"../../../testdata", "../../../examples"}
	if real := os.Getenv("IDEMGEN_SPECS"); real != "" {
		roots = append(roots, real)
	}
	var files []string
	for _, root := range roots {
		filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if entry != nil && entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if err != nil || entry.IsDir() {
				return nil
			}
			if ext := filepath.Ext(file); ext == ".yaml" || ext == ".json" {
				if text, err := os.ReadFile(file); err == nil && isOpenAPI(text) {
					files = append(files, file)
				}
			}
			return nil
		})
	}
	if len(files) < 10 {
		t.Fatalf("only %d documents", len(files))
	}
	return files
}

func isOpenAPI(text []byte) bool {
	return bytes.HasPrefix(text, []byte("openapi:")) || bytes.Contains(text, []byte("\nopenapi:")) ||
		bytes.Contains(text, []byte(`"openapi":`))
}

func ourOutline(t *testing.T, d *Document) outline {
	t.Helper()
	for _, problem := range d.Problems {
		if problem.Rule == RuleMisplaced {
			continue // no business of kin-openapi's
		}
		t.Errorf("%s: %s", problem.Range, problem.Message)
	}
	o := outline{d.Title, map[string]operationOutline{}}
	for i := range d.Operations {
		op := &d.Operations[i]
		o.Operations[op.Method+" "+op.Path] = ourOperation(t, op)
	}
	return o
}

func ourOperation(t *testing.T, op *Operation) operationOutline {
	t.Helper()
	o := operationOutline{ID: op.ID, Secured: op.Secured(), Parameters: map[string]schemaOutline{}, Responses: map[string][]string{}}
	parameters, problems := op.Parameters()
	responses, more := op.Responses()
	for _, problem := range append(problems, more...) {
		t.Errorf("%s: %s", problem.Range, problem.Message)
	}
	for i := range parameters {
		p := &parameters[i]
		o.Parameters[p.In+" "+p.Name] = ourSchema(t, p.schema, p.Required, 0)
	}
	for _, r := range responses {
		var media []string
		for _, c := range r.Content {
			media = append(media, c.MediaType)
		}
		slices.Sort(media)
		o.Responses[r.Status] = media
	}
	body, problem := op.Body()
	if problem != nil {
		t.Errorf("%s: %s", problem.Range, problem.Message)
	}
	if body != nil {
		o.Body = &bodyOutline{body.Required, map[string]schemaOutline{}}
		for i := range body.Content {
			o.Body.Content[body.Content[i].MediaType] = ourSchema(t, body.Content[i].schema, false, 0)
		}
	}
	return o
}

func ourSchema(t *testing.T, n schemaNode, required bool, depth int) schemaOutline {
	t.Helper()
	s, problem := n.read()
	if problem != nil {
		t.Fatalf("%s: %s", problem.Range, problem.Message)
	}
	value := canonical(s.Default)
	if value == "null" {
		value = "" // kin-openapi does not tell the two apart
	}
	o := schemaOutline{required, s.Type, s.Format, s.Nullable, value, map[string]schemaOutline{}}
	if depth < maxOutline {
		for _, p := range s.Properties {
			o.Properties[p.Name] = ourSchema(t, p.schema, p.Required, depth+1)
		}
	}
	return o
}

// canonical writes JSON with members sorted and numbers in one form.
func canonical(text []byte) string {
	if text == nil {
		return ""
	}
	var v any
	if json.Unmarshal(text, &v) != nil {
		return "invalid: " + string(text)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

func kinOutline(d *openapi3.T) outline {
	o := outline{d.Info.Title, map[string]operationOutline{}}
	for path, item := range d.Paths.Map() {
		for method, op := range item.Operations() {
			o.Operations[method+" "+path] = kinOperation(d, item, op)
		}
	}
	return o
}

func kinOperation(d *openapi3.T, item *openapi3.PathItem, op *openapi3.Operation) operationOutline {
	o := operationOutline{ID: op.OperationID, Parameters: map[string]schemaOutline{}, Responses: map[string][]string{}}
	security := d.Security
	if op.Security != nil {
		security = *op.Security
	}
	for _, requirement := range security {
		o.Secured = o.Secured || len(requirement) > 0
	}
	for _, list := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range list {
			schema := p.Value.Schema
			for _, media := range p.Value.Content {
				schema = media.Schema
			}
			o.Parameters[p.Value.In+" "+p.Value.Name] = kinSchema(schema, p.Value.Required || p.Value.In == "path", 0)
		}
	}
	if op.RequestBody != nil {
		o.Body = &bodyOutline{op.RequestBody.Value.Required, map[string]schemaOutline{}}
		for media, content := range op.RequestBody.Value.Content {
			o.Body.Content[media] = kinSchema(content.Schema, false, 0)
		}
	}
	for status, r := range op.Responses.Map() {
		var media []string
		for name := range r.Value.Content {
			media = append(media, name)
		}
		slices.Sort(media)
		o.Responses[status] = media
	}
	return o
}

func kinSchema(ref *openapi3.SchemaRef, required bool, depth int) schemaOutline {
	o := schemaOutline{Required: required, Properties: map[string]schemaOutline{}}
	var merged kinMerged
	merged.required = map[string]bool{}
	merged.add(ref, 0)
	o.Type, o.Format, o.Nullable, o.Default = merged.typ, merged.format, merged.nullable, merged.defaultValue
	if o.Type == "" && !merged.typed && len(merged.properties) > 0 {
		o.Type = "object"
	}
	if depth < maxOutline {
		for name, p := range merged.properties {
			o.Properties[name] = kinSchema(p, merged.required[name], depth+1)
		}
	}
	return o
}

// A kinMerged is a schema of kin-openapi with allOf, oneOf and anyOf merged, as
// the contract's rules want it: what all branches have.
type kinMerged struct {
	typ, format, defaultValue string
	typed, nullable           bool
	properties                map[string]*openapi3.SchemaRef
	required                  map[string]bool
}

func (m *kinMerged) add(ref *openapi3.SchemaRef, depth int) {
	if ref == nil || ref.Value == nil || depth > 20 {
		return
	}
	s := ref.Value
	var types []string
	for _, t := range s.Type.Slice() {
		if t == "null" {
			m.nullable = true
		} else {
			types = append(types, t)
		}
	}
	m.typed = m.typed || s.Type != nil
	if len(types) == 1 {
		m.typ = cmp.Or(m.typ, types[0])
	}
	m.format = cmp.Or(m.format, s.Format)
	m.nullable = m.nullable || s.Nullable
	if s.Default != nil && m.defaultValue == "" {
		text, _ := json.Marshal(s.Default)
		m.defaultValue = canonical(text)
	}
	for name, p := range s.Properties {
		m.property(name, p, false)
	}
	for _, name := range s.Required {
		m.required[name] = true
	}
	for _, part := range s.AllOf {
		m.add(part, depth+1)
	}
	for _, branches := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		m.branches(branches, depth+1)
	}
}

func (m *kinMerged) property(name string, p *openapi3.SchemaRef, required bool) {
	if m.properties == nil {
		m.properties = map[string]*openapi3.SchemaRef{}
	}
	if _, ok := m.properties[name]; !ok {
		m.properties[name] = p
	}
	m.required[name] = m.required[name] || required
}

func (m *kinMerged) branches(list openapi3.SchemaRefs, depth int) {
	var common *kinMerged
	for _, item := range list {
		branch := &kinMerged{required: map[string]bool{}}
		branch.add(item, depth)
		if types := item.Value.Type.Slice(); len(types) == 1 && types[0] == "null" {
			m.nullable = true
			continue
		}
		if common == nil {
			common = branch
			continue
		}
		common.intersect(branch)
	}
	if common == nil {
		return
	}
	m.typ = cmp.Or(m.typ, common.typ)
	m.format = cmp.Or(m.format, common.format)
	m.nullable = m.nullable || common.nullable
	for name, p := range common.properties {
		m.property(name, p, common.required[name])
	}
}

func (m *kinMerged) intersect(other *kinMerged) {
	if m.typ != other.typ {
		m.typ = ""
	}
	if m.format != other.format {
		m.format = ""
	}
	m.nullable = m.nullable || other.nullable
	for name := range m.properties {
		if _, ok := other.properties[name]; !ok {
			delete(m.properties, name)
		}
		m.required[name] = m.required[name] && other.required[name]
	}
}
