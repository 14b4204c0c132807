package alerts

import (
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// series is a made-up series.
type series struct {
	labels  labels.Labels
	samples []chunks.Sample
}

// newSeries makes a series from promtool's notation, beginning at time 0.
func newSeries(p parser.Parser, text string, every time.Duration) (series, error) {
	l, values, err := p.ParseSeriesDesc(text)
	if err != nil {
		return series{}, err
	}
	s := series{labels: l}
	for i, v := range values {
		if !v.Omitted {
			s.samples = append(s.samples, sample{int64(i) * every.Milliseconds(), v.Value})
		}
	}
	return s, nil
}

// stored gives series to the engine.
func stored(all []series) storage.Queryable {
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			set := &seriesSet{}
			for _, s := range all {
				if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.labels.Get(m.Name)) }) {
					set.all = append(set.all, storage.NewListSeries(s.labels, s.samples))
				}
			}
			return set
		},
	}}
}

type seriesSet struct {
	all []storage.Series
	at  int
}

func (s *seriesSet) Next() bool                        { s.at++; return s.at <= len(s.all) }
func (s *seriesSet) At() storage.Series                { return s.all[s.at-1] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

type sample struct {
	t int64
	v float64
}

func (s sample) T() int64                      { return s.t }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.v }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }
