package report

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/barriergen/barriergen/tests/bench/measure"
)

// series is what the chart shows of each ratio.
type series struct {
	name  string
	color color.Color
	shape draw.GlyphDrawer
	value func(c measure.Compared) *measure.Summary
}

var chartSeries = []series{
	{"published", color.Gray{0x50}, draw.CrossGlyph{}, func(c measure.Compared) *measure.Summary {
		if c.Published == nil {
			return nil
		}
		v := c.Published.Figure()
		return &measure.Summary{Median: v, Min: v, Max: v}
	}},
	{"peer", color.RGBA{0xd5, 0x5e, 0x00, 0xff}, draw.SquareGlyph{}, func(c measure.Compared) *measure.Summary { return c.Peer }},
	{"ours, with minimum and maximum", color.RGBA{0x00, 0x72, 0xb2, 0xff}, draw.CircleGlyph{}, func(c measure.Compared) *measure.Summary { return c.Ours }},
}

// charted reports whether a comparison is in the chart: a ratio that has something to stand beside.
func charted(c measure.Compared) bool {
	return c.Under != "" && c.Ours != nil && c.Ours.Min > 0 && (c.Published != nil || c.Peer != nil || c.Goal != nil)
}

// Chart writes the ratios as SVG, on a logarithmic scale. It writes nothing if there are none.
func (r Report) Chart(w io.Writer) error {
	p, height, err := r.plot()
	if err != nil || p == nil {
		return err
	}
	c := vgsvg.New(width, height)
	const margin = 6 // points
	p.Draw(draw.Crop(draw.New(c), margin, -margin, margin, -margin))
	_, err = c.WriteTo(w)
	return err
}

const width = 26 * vg.Centimeter

// plot is the chart and its height, or nil if there is nothing to show.
func (r Report) plot() (*plot.Plot, vg.Length, error) {
	var shown []measure.Compared
	for _, result := range r.Results {
		for _, c := range result.Compared {
			if charted(c) {
				shown = append(shown, c)
			}
		}
	}
	if len(shown) == 0 {
		return nil, 0, nil
	}
	p := plot.New()
	p.Title.Text = "Ratios: published, of the peers, ours"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(ticks)
	p.X.Label.Text = "ratio (logarithmic)"
	p.Legend.Top = false
	p.Legend.YPosition = draw.PosCenter
	names := make([]string, len(shown))
	for i, c := range shown {
		names[len(shown)-1-i] = c.Name // the first one on top
	}
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(shown))-0.4
	p.Add(plotter.NewGrid())
	for k, s := range chartSeries {
		var points ranges
		for i, c := range shown {
			if v := s.value(c); v != nil && v.Min > 0 {
				y := float64(len(shown)-1-i) + 0.2*float64(1-k)
				points.XYs = append(points.XYs, plotter.XY{X: v.Median, Y: y})
				points.XErrors = append(points.XErrors, struct{ Low, High float64 }{v.Min - v.Median, v.Max - v.Median})
			}
		}
		if len(points.XYs) == 0 {
			continue
		}
		if err := points.addTo(p, s); err != nil {
			return nil, 0, err
		}
	}
	return p, vg.Length(3+0.75*float64(len(shown))) * vg.Centimeter, nil
}

type ranges struct {
	plotter.XYs
	plotter.XErrors
}

func (r ranges) addTo(p *plot.Plot, s series) error {
	bars, err := plotter.NewXErrorBars(r)
	if err != nil {
		return err
	}
	bars.LineStyle.Color = s.color
	bars.CapWidth = vg.Points(3)
	dots, err := plotter.NewScatter(r.XYs)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: s.color, Shape: s.shape, Radius: vg.Points(3)}
	p.Add(bars, dots)
	p.Legend.Add(s.name, dots)
	return nil
}

// ticks are at 1, 2 and 5 times each power of ten. On a long scale only the powers have a label.
func ticks(low, high float64) []plot.Tick {
	var list []plot.Tick
	long := high/low > 1000
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			t := plot.Tick{Value: m * math.Pow(10, e)}
			if m == 1 || !long {
				t.Label = fmt.Sprintf("%.4g", t.Value)
			}
			list = append(list, t)
		}
	}
	return list
}
