package server

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMediaTypes(t *testing.T) {
	p, err := Read(filepath.Join(casesDir, "media"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, path string
		want         map[string]string
		contentType  bool
	}{
		{"POST", "/several", map[string]string{
			"application/json":                  "JSONBody",
			"application/vnd.orders.v2+json":    "ApplicationVndOrdersV2PlusJSONBody",
			"application/x-www-form-urlencoded": "FormdataBody",
			"multipart/form-data":               "MultipartBody",
			"text/plain":                        "TextBody",
			"application/pdf":                   "Body",
		}, false},
		{"POST", "/form", map[string]string{}, false},
		{"PUT", "/image", map[string]string{}, true},
	} {
		op, ok := p.Operation(test.method, test.path)
		if !ok {
			t.Fatal("no operation", test.path)
		}
		if d := cmp.Diff(test.want, p.MediaTypes(op)); d != "" {
			t.Errorf("%s: %s", test.path, d)
		}
		if got := p.HasContentType(op); got != test.contentType {
			t.Errorf("%s: content type %t", test.path, got)
		}
	}
	if got := p.MediaTypes(Operation{Name: "NoSuchOperation"}); got != nil {
		t.Errorf("an operation that is not there: %v", got)
	}
}

// Types of other packages are read where an expression leads through them.
func TestFollow(t *testing.T) {
	p, err := Read(filepath.Join(casesDir, "imports"))
	if err != nil {
		t.Fatal(err)
	}
	op, _ := p.Operation("POST", "/orders/{id}")
	path, ok := op.Bodies[0].Type.Elem().Member("customer")
	if !ok || path[0].Type.Kind != Foreign {
		t.Fatalf("customer: %t %+v", ok, path)
	}
	address, ok := path[0].Type.Member("address")
	if !ok || address[0].Type.Kind != Pointer {
		t.Fatalf("address: %t %+v", ok, address)
	}
	country, ok := address[0].Type.Elem().Member("country")
	if !ok || country[0].Type.Elem().Kind != String || !country[0].Type.Elem().Defined {
		t.Errorf("country: %t %+v", ok, country)
	}
	if path, ok := op.HeaderParameter("x-tenant"); !ok || path[0].Type.Follow().Kind != Int {
		t.Errorf("tenant: %t %+v", ok, path)
	}
	for _, unknown := range []Import{{}, {Path: "example.com/nowhere", Name: "T"}, {Path: "time", Name: "NoSuchType"}} {
		if got := (Type{Kind: Foreign, Import: unknown, pkg: p}).Follow(); got.Kind != Foreign {
			t.Errorf("%+v is %v", unknown, got.Kind)
		}
	}
}
