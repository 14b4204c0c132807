package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// scheming has the page think that its user prefers light or dark colours, and reduced motion.
func scheming(name string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return err
	})
}

// faint lists the texts of a page whose contrast with their background is less than 4.5. WCAG 2 asks text for at least
// that, by the formula of its relative luminance.
const faint = `(() => {
	const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { rgb: m.slice(0, 3), alpha: m.length > 3 ? m[3] : 1 }; };
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.alpha > 0) return c.rgb;
		}
		return parse(getComputedStyle(document.body).backgroundColor).rgb;
	};
	const list = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (!walker.currentNode.textContent.trim() || e.closest("svg, :disabled, option, noscript") || !e.checkVisibility()) continue;
		const [a, b] = [parse(getComputedStyle(e).color).rgb, behind(e)].map(luminance);
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) list.push(ratio.toFixed(2) + " " + e.tagName + "." + e.className + ": " + walker.currentNode.textContent.slice(0, 40));
	}
	for (const e of document.querySelectorAll("svg .axis")) {
		const [a, b] = [parse(getComputedStyle(e).fill).rgb, behind(e)].map(luminance);
		if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) list.push("axis " + e.textContent);
	}
	// A text of a picture stands on what was drawn before it in its group.
	for (const e of document.querySelectorAll(".picture g text, .graph g text, .matrix g text")) {
		let ground = behind(e);
		for (const shape of e.parentElement.children) {
			if (shape === e) break;
			const style = getComputedStyle(shape);
			if (shape.tagName === "title" || shape.tagName === "text" || style.fill === "none") continue;
			const { rgb, alpha } = parse(style.fill);
			const a = alpha * Number(style.fillOpacity);
			ground = ground.map((v, i) => (1 - a) * v + a * rgb[i]);
		}
		const [a, b] = [parse(getComputedStyle(e).fill).rgb, ground].map(luminance);
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) list.push(ratio.toFixed(2) + " " + e.textContent + " on " + ground.map(Math.round));
	}
	return list;
})()`

// TestContrast looks at every view in light and in dark: all text can be read, and nothing moves by itself.
func TestContrast(t *testing.T) {
	address := serve(t)
	p := open(t, 1000, 900, address+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps"))) // the small run is complete then
	for _, scheme := range []string{"light", "dark"} {
		p.do(scheming(scheme))
		for _, view := range []struct{ name, wait string }{
			{"board", ".jumps"}, {"heat", ".picture"}, {"tables", ".chart"}, {"problem", ".picture"},
			{"ask&p=babylone&q=graph&x.GAME=2x2", ".graph"}, {"runs", ".card"},
			{"heat&after=1", `.picture[aria-label^="after 1 jump,"]`},
			{"heat&after=29", `.picture[aria-label^="after 29 jumps"]`},
			{"problem&of=triangle5&start=4", `[aria-label$="a game leads there"]`},
			{"ask&p=tiles&q=solve&x.GRID=RVRV/BWBW/RVRV/BWBW", ".step .picture"},
			{"ask&p=mousetrap&q=play&x.CARD=4+2+3+5+1", ".step .picture"},
			{"play&p=tiles&at=RVRV/BWBW:J.../....", `.moves [data-move="r1c0=R"]`},
			{"play&p=babylone&at=b1,g2,k1,o3,r1,w1", `.moves [data-move="b1 on k1"]`},
			{"play&p=mousetrap&at=4+2+5+3+1", `.moves [data-move="4 2"]`}, {"play&p=baseball&at=44|0_|11|22|33", `.moves [data-move^="1: 2"]`},
			{"heat&after=16", `.picture[aria-label^="after 16 jumps"]`},
			{"ask&p=baseball&q=solve&x.CONFIGURATION=44|0_|11|22|33", ".step .picture"},
		} {
			p.do(chromedp.Evaluate[chromedp.Void](`{
				const parameters = new URLSearchParams(location.hash.slice(1));
				location.hash = "#run=" + parameters.get("run") + "&view=`+view.name+`";
			}`), chromedp.WaitVisible(chromedp.CSS(view.wait)))
			for _, text := range value[[]string](p, faint) {
				t.Errorf("%s, %s: contrast %s", view.name, scheme, text)
			}
			if n := p.text(`document.getAnimations().length`); n != "0" {
				t.Errorf("%s: %s animations", view.name, n)
			}
			if scheme == "dark" {
				p.shot(view.name[:3])
			}
		}
	}
}
