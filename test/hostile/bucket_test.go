//go:build sockets

package hostile

import (
	"bufio"
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// bucket is object storage that gives other objects than it got.
type bucket struct {
	changes func(all map[string][]byte, key string, w http.ResponseWriter)

	mu      sync.Mutex
	objects map[string][]byte
	got     int
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Method == http.MethodPut:
		content, err := unsigned(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		b.objects[key] = content
		w.Header().Set("ETag", `"x"`)
	case r.URL.Query().Has("list-type"):
		b.list(w, r.URL.Query())
	case b.objects[key] == nil:
		http.Error(w, "", http.StatusNotFound)
	default:
		b.got++
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
		all := maps.Clone(b.objects)
		b.mu.Unlock()
		b.changes(all, key, w)
		b.mu.Lock()
	}
}

func (b *bucket) list(w io.Writer, q url.Values) {
	type object struct {
		Key  string
		Size int
	}
	var answer struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		IsTruncated bool
		Contents    []object
	}
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		if strings.HasPrefix(key, q.Get("prefix")) {
			answer.Contents = append(answer.Contents, object{key, len(b.objects[key])})
		}
	}
	_ = xml.NewEncoder(w).Encode(answer)
}

// unsigned reads a body, of which each chunk may be signed.
func unsigned(r *http.Request) (content []byte, err error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	for in := bufio.NewReader(r.Body); ; {
		head, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(head), ";")
		n, err := strconv.ParseUint(size, 16, 31)
		if err != nil || n == 0 {
			return content, err
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			return nil, err
		}
		content = append(content, chunk[:n]...)
	}
}

// buckets are hostile buckets, each under the name of its deed.
var buckets = map[string]func(all map[string][]byte, key string, w http.ResponseWriter){
	"objects exchanged": func(all map[string][]byte, key string, w http.ResponseWriter) {
		keys := slices.Sorted(maps.Keys(all))
		_, _ = w.Write(all[keys[(slices.Index(keys, key)+1)%len(keys)]])
	},
	"a flipped bit": func(all map[string][]byte, key string, w http.ResponseWriter) {
		b := slices.Clone(all[key])
		b[len(b)/2] ^= 1
		_, _ = w.Write(b)
	},
	"half an object": func(all map[string][]byte, key string, w http.ResponseWriter) {
		_, _ = w.Write(all[key][:len(all[key])/2])
	},
	"bombs": func(_ map[string][]byte, _ string, w http.ResponseWriter) {
		for b := frame(bomb()); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	},
	"frames of 2 GiB": func(_ map[string][]byte, _ string, w http.ResponseWriter) {
		for b := frame(make([]byte, 1<<16)); ; b = make([]byte, 1<<16) {
			b[3] = 0x7f
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	},
	"silence": func(_ map[string][]byte, _ string, w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1000")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(time.Minute)
	},
}

// TestArchive has an attacker upload true windows to an archive, and serve false ones: when it is put out, readers turn
// to the archive, whose objects are others than it got.
func TestArchive(t *testing.T) {
	for name, changes := range buckets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &bucket{changes: changes, objects: make(map[string][]byte)}
			server := httptest.NewServer(b)
			defer func() {
				server.CloseClientConnections()
				server.Close()
			}()
			attacked(t, &scenario{
				Honest: []string{"a", "b"}, Attackers: []attackers{{"x", "x", []string{"serves false rows"}}},
				Environment: []string{"AWS_ENDPOINT_URL_S3=" + server.URL, "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x"},
				Settings:    []string{"archive=s3://bucket/runs"},
			})
			b.mu.Lock()
			defer b.mu.Unlock()
			if t.Logf("%d objects, %d times read", len(b.objects), b.got); b.got == 0 {
				t.Error("no reader has turned to the archive")
			}
		})
	}
}
