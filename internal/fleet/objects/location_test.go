package objects_test

import (
	"strings"
	"testing"

	"pagoda/internal/fleet/objects"
)

func TestParse(t *testing.T) {
	for url, want := range map[string]objects.Location{
		"s3://abc":                  {Bucket: "abc"},
		"s3://abc/":                 {Bucket: "abc"},
		"s3://my.bucket-1/a/b.csv":  {Bucket: "my.bucket-1", Key: "a/b.csv"},
		"s3://abc/prefix/":          {Bucket: "abc", Key: "prefix/"},
		"s3://abc/counts-{layer}.x": {Bucket: "abc", Key: "counts-{layer}.x"},
	} {
		got, err := objects.Parse(url)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", url, got, err, want)
		}
		if again, err := objects.Parse(got.String()); err != nil || again != got {
			t.Errorf("%s: its URL %s is read as %+v, %v", url, got, again, err)
		}
	}
	for _, url := range []string{
		"", "abc", "s3:/abc/x", "S3://abc/x", "s3://", "s3:///x", "s3://ab/x", "s3://Abc/x", "s3://a_c/x", "s3://-abc/x",
		"s3://a..c/x", "s3://abc//x", "s3://abc/a//b", "s3://abc/../x", "s3://abc/a/./b", "s3://abc/a?b", "s3://abc/a#b",
		"s3://abc/a\nb", "s3://abc/\xff", "s3://abc/" + strings.Repeat("x", 1025), "s3://" + strings.Repeat("a", 64) + "/x",
	} {
		if got, err := objects.Parse(url); err == nil {
			t.Errorf("%q is read as %+v", url, got)
		} else if len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%q: its error is no line for people: %q", url, err)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, c := range [][3]string{
		{"s3://abc", "x.csv", "s3://abc/x.csv"},
		{"s3://abc/", "x.csv", "s3://abc/x.csv"},
		{"s3://abc/p", "x.csv", "s3://abc/p/x.csv"},
		{"s3://abc/p/", "x.csv", "s3://abc/p/x.csv"},
	} {
		at, err := objects.Parse(c[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := at.Below(c[1]).String(); got != c[2] {
			t.Errorf("%s below %s is %s, want %s", c[1], c[0], got, c[2])
		}
	}
}

func TestReadEnvironment(t *testing.T) {
	names := []string{
		"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	}
	with := func(set ...string) func(t *testing.T) (objects.Environment, error) {
		return func(t *testing.T) (objects.Environment, error) {
			for _, name := range names {
				t.Setenv(name, "")
			}
			t.Setenv("HOME", t.TempDir())
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
			for i := 0; i < len(set); i += 2 {
				t.Setenv(set[i], set[i+1])
			}
			return objects.ReadEnvironment()
		}
	}
	keys := []string{"AWS_ACCESS_KEY_ID", "me", "AWS_SECRET_ACCESS_KEY", "mine"}
	for name, c := range map[string]struct {
		set              []string
		endpoint, region string
	}{
		"amazon":   {keys, "https://s3.amazonaws.com", ""},
		"region":   {append(keys, "AWS_DEFAULT_REGION", "eu-west-1"), "https://s3.amazonaws.com", "eu-west-1"},
		"endpoint": {append(keys, "AWS_ENDPOINT_URL", "http://127.0.0.1:9"), "http://127.0.0.1:9", "us-east-1"},
		"endpoint of S3": {
			append(keys, "AWS_ENDPOINT_URL", "http://127.0.0.1:9", "AWS_ENDPOINT_URL_S3", "https://s3.example"),
			"https://s3.example", "us-east-1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := with(c.set...)(t)
			if err != nil || e.Endpoint.String() != c.endpoint || e.Region != c.region {
				t.Fatalf("%+v, %v", e, err)
			}
			v, err := e.Keys.GetWithContext(nil)
			if err != nil || v.AccessKeyID != "me" || v.SecretAccessKey != "mine" {
				t.Fatalf("keys %q, %v", v.AccessKeyID, err)
			}
		})
	}
	for name, set := range map[string][]string{
		"no keys":                 nil,
		"half of them":            keys[:2],
		"endpoint without scheme": append(keys, "AWS_ENDPOINT_URL", "127.0.0.1:9"),
		"endpoint with a path":    append(keys, "AWS_ENDPOINT_URL", "http://127.0.0.1:9/x"),
		"endpoint with a user":    append(keys, "AWS_ENDPOINT_URL", "http://u:p@127.0.0.1:9"),
		"endpoint with no port":   append(keys, "AWS_ENDPOINT_URL", "http://127.0.0.1:99999"),
	} {
		t.Run(name, func(t *testing.T) {
			if e, err := with(set...)(t); err == nil {
				t.Fatalf("read as %+v", e)
			}
		})
	}
}
