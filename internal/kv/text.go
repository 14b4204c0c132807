package kv

import (
	"fmt"

	"pagoda/internal/kv/form"
)

// Form is the text of a record.
func (r *Record) Form(f *form.Form) {
	f.Text(`{"run":`)
	f.Name(&r.Run)
	f.Window(",", &r.Window)
	f.Number(`,"rows":`, &r.Rows)
	f.Number(`,"blocks":`, &r.Blocks)
	f.Number(`,"bytes":`, &r.Bytes)
	f.Text(`,"digest":`)
	f.Digest(&r.Digest)
	f.Text(`,"tally":`)
	f.Tally(&r.Tally)
	f.Text("}")
}

func (e *Entry) form(f *form.Form) {
	f.Text(`{"record":`)
	e.Record.Form(f)
	form.List(f, `,"holders":[`, &e.Holders, (*form.Form).Name)
	form.List(f, `,"by":[`, &e.By, (*form.Form).Name)
	f.Text("}")
}

// read reads the text of a value of the store or the ledger.
func read(b []byte, value func(*form.Form)) error {
	if len(b) > MaxRecordBytes {
		return fmt.Errorf("%d bytes, at most %d are allowed", len(b), MaxRecordBytes)
	}
	return form.Read(b, value)
}
