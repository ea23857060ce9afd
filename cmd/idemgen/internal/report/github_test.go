package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGitHub(t *testing.T) {
	var b strings.Builder
	findings := sample()
	findings[0].Range.File = "my,api:v1.yaml"
	if err := GitHub(&b, findings); err != nil {
		t.Fatal(err)
	}
	want := "::error file=my%2Capi%3Av1.yaml,line=3,col=10,endLine=3,endColumn=11,title=bad::50%25 wrong, twice: \"no\"%0Ahint: yes\n" +
		"::error file=a.yaml,line=4,col=10,endLine=4,endColumn=11,title=bad::no\n" +
		"::warning file=a.yaml,line=2,col=3,endLine=2,endColumn=7,title=odd::hm%0Ahurts: clients\n" +
		"::notice file=a.yaml,line=1,col=1,title=unheard::think\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
