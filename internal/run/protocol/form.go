package protocol

import (
	"encoding/json"

	"pagoda/internal/kv/form"
)

// Tasks and reports are the messages of every window. Their texts are written and read without reflection, where that
// is possible. Reports with failures, and messages of a later program, go through encoding/json.

// encode writes a message.
func encode(v any, text func(*form.Form)) ([]byte, error) {
	if b, ok := form.Write(text); ok {
		return b, nil
	}
	return json.Marshal(v)
}

// decodeMessage reads a message of at most limit bytes. Errors wrap ErrMessage.
func decodeMessage[T any](b []byte, limit int, text func(*T, *form.Form)) (T, error) {
	var fast, v T
	if len(b) <= limit && form.Read(b, func(f *form.Form) { text(&fast, f) }) == nil {
		return fast, nil
	}
	err := decode(b, &v, limit)
	return v, err
}

func (t *Task) form(f *form.Form) {
	f.Text(`{"run":`)
	f.Name(&t.Run)
	f.Number(`,"epoch":`, &t.Epoch)
	optional(f, `,"to":`, &t.To)
	f.Text(`,"id":`)
	f.Name(&t.ID)
	form.List(f, `,"windows":[`, &t.Windows, func(f *form.Form, w *TaskWindow) { w.form(f) })
	form.List(f, `,"parents":[`, &t.Parents, func(f *form.Form, l *Located) { l.form(f) })
	f.Text("}")
}

func (w *TaskWindow) form(f *form.Form) {
	f.Window("{", &w.Window)
	form.List(f, `,"reads":[`, &w.Reads, func(f *form.Form, i *int) { form.Int(f, "", i) })
	f.Flag(`,"fresh":true`, &w.Fresh)
	f.Flag(`,"audit":true`, &w.Audit)
	optional(f, `,"attempt":`, &w.Attempt)
	if f.If(`,"copy":`, w.Copy != nil) {
		if w.Copy == nil {
			w.Copy = new(LocatedWindow)
		}
		w.Copy.form(f)
	}
	f.Text("}")
}

func (l *Located) form(f *form.Form) {
	f.Cell(`{"cell":{`, &l.Cell)
	f.Text(`},"tally":`)
	f.Tally(&l.Tally)
	form.List(f, `,"windows":[`, &l.Windows, func(f *form.Form, w *LocatedWindow) { w.form(f) })
	f.Text("}")
}

func (w *LocatedWindow) form(f *form.Form) {
	f.Text(`{"record":`)
	w.Record.Form(f)
	form.List(f, `,"holders":[`, &w.Holders, func(f *form.Form, p *Peer) { p.form(f) })
	if f.If(`,"loss":`, w.Loss != 0) {
		form.Int(f, "", &w.Loss)
	}
	f.Text("}")
}

func (p *Peer) form(f *form.Form) {
	f.Text(`{"name":`)
	f.Name(&p.Name)
	optional(f, `,"address":`, &p.Address)
	if f.If(`,"patience":`, p.Patience != 0) {
		form.Int(f, "", &p.Patience)
	}
	f.Text("}")
}

func (r *Report) form(f *form.Form) {
	f.Text(`{"run":`)
	f.Name(&r.Run)
	f.Text(`,"worker":`)
	f.Name(&r.Worker)
	optional(f, `,"incarnation":`, &r.Incarnation)
	f.Number(`,"epoch":`, &r.Epoch)
	if f.If(`,"number":`, r.Number != 0) {
		f.Number("", &r.Number)
	}
	if f.If(`,"wait_ms":`, r.WaitMillis != 0) {
		form.Int(f, "", &r.WaitMillis)
	}
	form.List(f, `,"done":[`, &r.Done, func(f *form.Form, d *Done) { d.form(f) })
	f.Text("}")
}

func (d *Done) form(f *form.Form) {
	f.Text(`{"record":`)
	d.Record.Form(f)
	form.Int(f, `,"nanos":`, &d.Nanos)
	f.Flag(`,"reused":true`, &d.Reused)
	f.Flag(`,"audit":true`, &d.Audit)
	optional(f, `,"attempt":`, &d.Attempt)
	f.Text("}")
}

// optional is a string that is left out when it is empty.
func optional(f *form.Form, name string, s *string) {
	if f.If(name, *s != "") {
		f.Name(s)
	}
}
