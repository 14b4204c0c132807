package explore

import (
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// takesGzip reports whether a client reads gzip.
func takesGzip(r *http.Request) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(one, " ", ""), ";")
		if name == "gzip" {
			return strings.Trim(weight, "q=0.") != "" || weight == ""
		}
	}
	return false
}

// unchanged answers a request of a client that has the answer already, by the ETag that is set.
func unchanged(w http.ResponseWriter, r *http.Request) bool {
	tag := w.Header().Get("ETag")
	if tag == "" || !slices.ContainsFunc(strings.Split(r.Header.Get("If-None-Match"), ","), func(one string) bool {
		return strings.TrimPrefix(strings.TrimSpace(one), "W/") == tag
	}) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// lasting lets a client keep an answer about a complete run, which does not change as long as this program runs, and
// reports whether the client has it.
func (s *Server) lasting(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("ETag", s.tag)
	return unchanged(w, r)
}

// compressed compresses the answers of next for clients that take it. No client keeps an answer that is an error.
func compressed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z := &zipWriter{ResponseWriter: w, wanted: takesGzip(r), asked: time.Now()}
		next.ServeHTTP(z, r) // an answer that breaks off, by a panic, gets no end
		if z.zip != nil {
			_ = z.zip.Close() // an error says that the client has gone
			zips.Put(z.zip)
		}
	})
}

// zips are writers to be used again: each has some 800 kB.
var zips = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// A zipWriter compresses what is text.
type zipWriter struct {
	http.ResponseWriter
	wanted bool
	asked  time.Time
	begun  bool
	zip    *gzip.Writer // nil: the answer is sent as it is
}

// textTypes are beginnings of the media types that are compressed. A file to be downloaded is sent as it is.
var textTypes = []string{"application/json", "text/", "image/svg+xml"}

// WriteHeader decides how the answer is sent, and says how long it took to make.
func (z *zipWriter) WriteHeader(code int) {
	z.begun = true
	h := z.Header()
	h.Set("Server-Timing", fmt.Sprintf("answer;dur=%.1f", float64(time.Since(z.asked).Microseconds())/1000))
	if code >= http.StatusBadRequest {
		h.Del("ETag")
		h.Set("Cache-Control", "no-store")
	}
	kind := h.Get("Content-Type")
	if z.wanted && code != http.StatusNotModified && h.Get("Content-Encoding") == "" &&
		slices.ContainsFunc(textTypes, func(t string) bool { return strings.HasPrefix(kind, t) }) {
		h.Set("Content-Encoding", "gzip")
		h.Add("Vary", "Accept-Encoding")
		h.Del("Content-Length")
		z.zip = zips.Get().(*gzip.Writer)
		z.zip.Reset(z.ResponseWriter)
	}
	z.ResponseWriter.WriteHeader(code)
}

// Write sends a piece of the answer.
func (z *zipWriter) Write(b []byte) (int, error) {
	if !z.begun {
		z.WriteHeader(http.StatusOK)
	}
	if z.zip != nil {
		return z.zip.Write(b)
	}
	return z.ResponseWriter.Write(b)
}

// FlushError sends what was written so far, of a stream of events.
func (z *zipWriter) FlushError() error {
	if !z.begun {
		z.WriteHeader(http.StatusOK)
	}
	var err error
	if z.zip != nil {
		err = z.zip.Flush()
	}
	return errors.Join(err, http.NewResponseController(z.ResponseWriter).Flush())
}

// Unwrap returns the writer inside, for http.ResponseController.
func (z *zipWriter) Unwrap() http.ResponseWriter { return z.ResponseWriter }
