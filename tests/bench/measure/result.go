package measure

import (
	"math"
	"slices"
)

// Result is an experiment that has been run.
type Result struct {
	Name     string     `json:"name"`
	About    string     `json:"about"`
	Metrics  []Metric   `json:"metrics"`
	Sides    []Measured `json:"sides"`
	Compared []Compared `json:"compared"`
}

// Measured is a side.
type Measured struct {
	Name    string    `json:"name"`
	Missing string    `json:"missing,omitempty"` // why it was not measured
	Figures []Summary `json:"figures"`           // by metric; none if missing
	// Disturbed is how many runs had to count although a thread lost its processor, since no quiet one came in time.
	Disturbed int `json:"disturbed"`
}

// Compared is a comparison.
type Compared struct {
	Name      string     `json:"name"`
	Over      string     `json:"over"`
	Under     string     `json:"under,omitempty"`
	Unit      string     `json:"unit"` // of the two sides, and of the figure if there is no Under
	Metric    string     `json:"metric"`
	Published *Published `json:"published,omitempty"`
	Ours      *Summary   `json:"ours,omitempty"` // of the figure; nil if a side is missing
	PeerOver  string     `json:"peer_over,omitempty"`
	PeerUnder string     `json:"peer_under,omitempty"`
	Peer      *Summary   `json:"peer,omitempty"`
	// Difference is Over - Under, by medians, in Unit.
	Difference *float64 `json:"difference,omitempty"`
	Goal       *Goal    `json:"goal,omitempty"`
	Met        *bool    `json:"met,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// Summary describes a sample.
type Summary struct {
	Median    float64 `json:"median"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Deviation float64 `json:"deviation"` // standard deviation, of the sample
	N         int     `json:"n"`
}

// Summarize describes a sample that is not empty.
func Summarize(sample []float64) Summary {
	s := slices.Sorted(slices.Values(sample))
	n := len(s)
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	mean := sum / float64(n)
	squares := 0.0
	for _, v := range s {
		squares += (v - mean) * (v - mean)
	}
	out := Summary{Median: Quantile(s, 0.5), Min: s[0], Max: s[n-1], N: n}
	if n > 1 {
		out.Deviation = math.Sqrt(squares / float64(n-1))
	}
	return out
}

// Quantile is that of a sorted sample: the value below which the fraction q lies, between two values if need be.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 == len(sorted) {
		return sorted[low]
	}
	part := at - float64(low)
	return sorted[low]*(1-part) + sorted[low+1]*part
}

func (e Experiment) result(sides []*track) Result {
	r := Result{Name: e.Name, About: e.About, Metrics: e.Metrics}
	byName := make(map[string]*track)
	for _, t := range sides {
		m := Measured{Name: t.Name, Missing: t.Missing, Disturbed: t.disturbed}
		if t.Missing == "" {
			byName[t.Name] = t
			for _, values := range t.values {
				m.Figures = append(m.Figures, Summarize(values))
			}
		}
		r.Sides = append(r.Sides, m)
	}
	for _, c := range e.Comparisons {
		r.Compared = append(r.Compared, c.compare(e.Metrics[c.Metric], byName))
	}
	return r
}

// compare looks at the sides that were measured.
func (c Comparison) compare(metric Metric, sides map[string]*track) Compared {
	under := c.Under
	for _, other := range c.OrElse {
		if cheaper(sides[other], sides[under], c.Metric) {
			under = other
		}
	}
	out := Compared{
		Name: c.Name, Over: c.Over, Under: under, Unit: metric.Unit, Metric: metric.Name,
		Published: c.Published, PeerOver: c.PeerOver, PeerUnder: c.PeerUnder, Goal: c.Goal, Note: c.Note,
	}
	out.Ours = figure(sides, c.Over, under, c.Metric)
	if c.PeerOver != "" {
		out.Peer = figure(sides, c.PeerOver, c.PeerUnder, c.Metric)
	}
	if out.Ours == nil {
		return out
	}
	if under != "" {
		d := Summarize(sides[c.Over].values[c.Metric]).Median - Summarize(sides[under].values[c.Metric]).Median
		out.Difference = &d
	}
	if c.Goal != nil {
		met := c.Goal.Met(out.Ours.Median)
		out.Met = &met
	}
	return out
}

func cheaper(a, b *track, metric int) bool {
	return a != nil && (b == nil || Summarize(a.values[metric]).Median < Summarize(b.values[metric]).Median)
}

// figure is over / under, run by run, or over itself. It is nil if a side was not measured.
func figure(sides map[string]*track, over, under string, metric int) *Summary {
	a := sides[over]
	if a == nil || under != "" && sides[under] == nil {
		return nil
	}
	values := a.values[metric]
	if under != "" {
		below := sides[under].values[metric]
		values = make([]float64, 0, len(below))
		for i, b := range below {
			if b != 0 { // a side that did nothing in one run has no ratio there
				values = append(values, a.values[metric][i]/b)
			}
		}
		if len(values) == 0 {
			return nil
		}
	}
	s := Summarize(values)
	return &s
}
