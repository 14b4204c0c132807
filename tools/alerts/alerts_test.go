package alerts

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/template"
	"go.yaml.in/yaml/v3"
)

const folder = "../../deploy/observability"

type suite struct {
	RuleFiles  []string       `yaml:"rule_files"`
	Evaluation model.Duration `yaml:"evaluation_interval"`
	Tests      []struct {
		Interval model.Duration `yaml:"interval"`
		Input    []struct {
			Series string `yaml:"series"`
			Values string `yaml:"values"`
		} `yaml:"input_series"`
		Alerts []struct {
			Time model.Duration `yaml:"eval_time"`
			Name string         `yaml:"alertname"`
			Want []struct {
				Labels      map[string]string `yaml:"exp_labels"`
				Annotations map[string]string `yaml:"exp_annotations"`
			} `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	} `yaml:"tests"`
}

// firing is an alert that fires.
type firing struct {
	labels      map[string]string
	annotations map[string]string
}

func TestAlerts(t *testing.T) {
	var all suite
	text, err := os.ReadFile(filepath.Join(folder, "alerts_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	p := parser.NewParser(parser.Options{})
	rules := make(map[string]rulefmt.Rule)
	for _, file := range all.RuleFiles {
		groups, errs := rulefmt.ParseFile(filepath.Join(folder, file), false, model.UTF8Validation, p, slog.New(slog.DiscardHandler))
		for _, err := range errs {
			t.Fatal(err)
		}
		for _, g := range groups.Groups {
			for _, r := range g.Rules {
				rules[r.Alert] = r
			}
		}
	}
	fired := make(map[string]bool)
	for i, test := range all.Tests {
		var input []series
		for _, s := range test.Input {
			made, err := newSeries(p, s.Series+" "+s.Values, time.Duration(test.Interval))
			if err != nil {
				t.Fatal(err)
			}
			input = append(input, made)
		}
		for _, a := range test.Alerts {
			rule, ok := rules[a.Name]
			if !ok {
				t.Fatalf("there is no alert %s", a.Name)
			}
			got := alerts(t, p, rule, input, time.Duration(all.Evaluation), time.Duration(a.Time))
			if len(got) != len(a.Want) {
				t.Errorf("test %d: %s at %s: %v, want %v", i, a.Name, a.Time, got, a.Want)
				continue
			}
			for j, want := range a.Want {
				if !maps.Equal(got[j].labels, want.Labels) {
					t.Errorf("test %d: %s at %s has labels %v, want %v", i, a.Name, a.Time, got[j].labels, want.Labels)
				}
				for name, text := range want.Annotations {
					if got[j].annotations[name] != text {
						t.Errorf("test %d: %s at %s says %q, want %q", i, a.Name, a.Time, got[j].annotations[name], text)
					}
				}
				fired[a.Name] = true
			}
		}
	}
	for name := range rules {
		if !fired[name] {
			t.Errorf("no test makes %s fire", name)
		}
	}
}

// alerts evaluates a rule up to a moment and returns what fires then.
func alerts(t *testing.T, p parser.Parser, r rulefmt.Rule, input []series, every, at time.Duration) []firing {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, Parser: p})
	defer func() { _ = engine.Close() }()
	since := make(map[string]time.Duration)
	var out []firing
	for now := time.Duration(0); now <= at; now += every {
		q, err := engine.NewInstantQuery(t.Context(), stored(input), nil, r.Expr, time.UnixMilli(now.Milliseconds()))
		if err != nil {
			t.Fatal(err)
		}
		v, err := q.Exec(t.Context()).Vector()
		if err != nil {
			t.Fatal(r.Alert, err)
		}
		before := since
		since = make(map[string]time.Duration)
		for _, s := range v {
			key := s.Metric.String()
			since[key] = now
			if begun, ok := before[key]; ok {
				since[key] = begun
			}
			if now+every > at && now-since[key] >= time.Duration(r.For) {
				out = append(out, firing{labelsOf(s.Metric, r), annotationsOf(t, s, r)})
			}
		}
		q.Close()
	}
	return out
}

func labelsOf(l labels.Labels, r rulefmt.Rule) map[string]string {
	m := l.Map()
	delete(m, labels.MetricName)
	maps.Copy(m, r.Labels)
	return m
}

func annotationsOf(t *testing.T, s promql.Sample, r rulefmt.Rule) map[string]string {
	t.Helper()
	out := make(map[string]string)
	data := template.AlertTemplateData(s.Metric.Map(), nil, "", s)
	none := func(context.Context, string, time.Time) (promql.Vector, error) { return nil, nil }
	for name, text := range r.Annotations {
		const head = "{{$labels := .Labels}}{{$value := .Value}}"
		e := template.NewTemplateExpander(t.Context(), head+text, r.Alert, data, 0, none, &url.URL{}, nil)
		said, err := e.Expand()
		if err != nil {
			t.Errorf("%s: %v", r.Alert, err)
		}
		out[name] = said
	}
	return out
}

// TestDashboard parses every query of the dashboard.
func TestDashboard(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(folder, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board any
	if err := json.Unmarshal(b, &board); err != nil {
		t.Fatal(err)
	}
	var queries []string
	collect(board, &queries)
	if len(queries) < 10 {
		t.Fatalf("%d queries are no dashboard", len(queries))
	}
	p := parser.NewParser(parser.Options{})
	fill := strings.NewReplacer("$__rate_interval", "1m", "$run", "r", "$instance", "i")
	for _, q := range queries {
		if _, err := p.ParseExpr(fill.Replace(q)); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// collect finds the values of all fields named expr.
func collect(v any, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[name].(string); ok && name == "expr" {
				*out = append(*out, s)
				continue
			}
			collect(v[name], out)
		}
	case []any:
		for _, e := range v {
			collect(e, out)
		}
	}
}
