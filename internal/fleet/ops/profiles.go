package ops

import (
	"net/http"
	"net/http/pprof"
)

// Profiles serves the profiles of this process under /debug/pprof/, as package net/http/pprof describes them, to those
// that the guard lets in.
func Profiles(g Guard) http.Handler {
	mux := http.NewServeMux()
	for name, page := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.HandleFunc("GET /debug/pprof/"+name, page)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if code, err := g.Check(r); err != nil {
			http.Error(w, err.Error(), code)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
