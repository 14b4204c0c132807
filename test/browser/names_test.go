package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// nameless lists the roles of those parts of a page that have no name for a screen reader. Pictures, bars, tables and
// parts that can have the focus need a name. seen counts those that have one.
func (p *tab) nameless() (list []string, seen int) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		tree, err := cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		for _, node := range tree.Nodes {
			role := axText(node.Role)
			wants := role == "image" || role == "progressbar" || role == "table"
			for _, property := range node.Properties {
				wants = wants || property.Name == "focusable" && string(property.Value.Value) == "true"
			}
			switch {
			case node.Ignored || !wants || role == "RootWebArea" || role == "main":
			case axText(node.Name) == "":
				list = append(list, role)
			default:
				seen++
			}
		}
		return nil
	}))
	return list, seen
}

// axText is a text of the accessibility tree, which comes as JSON.
func axText(v *accessibility.Value) string {
	if v == nil || len(v.Value) < 2 {
		return ""
	}
	return string(v.Value[1 : len(v.Value)-1])
}

// TestNames looks at every view as a screen reader does: every part to use or to look at has a name.
func TestNames(t *testing.T) {
	p := open(t, 1000, 900, serve(t, "--data", english(t))+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	for _, view := range []struct{ name, wait string }{
		{"board", ".jumps"}, {"heat", ".heat .picture"}, {"tables", ".tables .chart"}, {"problem", ".problem .picture"},
		{"ask&p=babylone&q=graph&x.GAME=2x2", ".graph"}, {"ask&p=mousetrap&q=play&x.CARD=4+2+3+5+1", ".step .picture"},
		{"ask&p=peg&q=feasible&x.START=center&x.GOAL=center", ".figures .picture"}, {"play&p=tiles&at=RVRV/BWBW:J.../....", ".moves"}, {"play&p=mousetrap&at=4+2+5+3+1", ".moves"}, {"runs", ".card"},
	} {
		p.do(chromedp.Evaluate[chromedp.Void](`{
			const parameters = new URLSearchParams(location.hash.slice(1));
			location.hash = "#run=" + parameters.get("run") + "&view=`+view.name+`";
		}`), chromedp.WaitVisible(chromedp.CSS(view.wait)))
		list, seen := p.nameless()
		if len(list) > 0 || seen < 10 {
			t.Errorf("%s: without a name: %q; %d parts have one", view.name, list, seen)
		}
	}
}
