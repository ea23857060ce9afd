package runtime

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	A string `json:"a"`
	B string
	C string
}

type other struct {
	C string
	D string `json:"d"`
}

type Pointed struct{ E int }

type outer struct {
	inner
	other
	*Pointed
	B string `json:"b"`
	//lint:ignore SA5008 encoding/json takes this for a member named "-", and so must we
	Dash    int   `json:"-,"`
	Skipped int   `json:"-"`
	Named   other `json:"named"`
	hidden  int
}

// The members of a struct are those of encoding/json.
func TestPlanMembers(t *testing.T) {
	var names []string
	for _, m := range planOf(reflect.TypeFor[outer]()).members {
		names = append(names, m.name)
	}
	text, err := json.Marshal(outer{Pointed: &Pointed{}, hidden: 1})
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for name := range object {
		want[name] = true
	}
	got := map[string]bool{}
	for _, name := range names {
		got[name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-encoding/json +plan):\n%s", diff)
	}
	wantEqual(t, "embedded nil pointer", digestAny(outer{}), digestAny(outer{}))
	wantDifferent(t, "embedded pointer", digestAny(outer{}), digestAny(outer{Pointed: &Pointed{}}))
	wantDifferent(t, "shadowed", digestAny(outer{B: "x"}), digestAny(outer{inner: inner{B: "x"}}))
}

// Two members of one name that are embedded equally deep hide each other, unless
// one of them alone has the name by its tag.
func TestPlanDominantMember(t *testing.T) {
	shallow, deep := []int{0}, []int{1, 0}
	for name, c := range map[string]struct {
		members []member
		want    []member
	}{
		"shallower": {[]member{{"a", deep, true}, {"a", shallow, false}}, []member{{"a", shallow, false}}},
		"tagged":    {[]member{{"a", []int{1, 0}, false}, {"a", []int{2, 0}, true}}, []member{{"a", []int{2, 0}, true}}},
		"tie":       {[]member{{"a", []int{1, 0}, true}, {"b", shallow, true}, {"a", []int{2, 0}, true}}, []member{{"b", shallow, true}}},
	} {
		if diff := cmp.Diff(c.want, dominant(c.members), cmp.AllowUnexported(member{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Why plans are kept: the second row is what each struct would cost without.
func BenchmarkPlan(b *testing.B) {
	t := reflect.TypeFor[payment]()
	b.Run("kept", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			planOf(t)
		}
	})
	b.Run("made", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newPlan(t)
		}
	})
}
