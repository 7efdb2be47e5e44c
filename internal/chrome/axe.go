package chrome

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// The checker: a package of npm, by its name, version and digest.
const (
	axeName   = "axe-core-4.10.2.tgz"
	axeURL    = "https://registry.npmjs.org/axe-core/-/" + axeName
	axeDigest = "sha512-RE3mdQ7P3FRSe7eqCWoeQ/Z9QXrtniSjp1wUjt5nRC3WIpz5rSCve6o3fsZ2aCpJtrZjSZgjwXAoTO5k4tEI0w=="
	axeScript = "package/axe.min.js"
	axeLimit  = 64 << 20
)

// axe is the text of the checker, from the folder of caches or from the registry.
var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "tv", axeName)
	data, err := os.ReadFile(name)
	if err == nil && digest(data) == axeDigest {
		return script(data)
	}
	if data, err = download(axeURL); err != nil {
		return "", err
	}
	if got := digest(data); got != axeDigest {
		return "", fmt.Errorf("%s has the digest %s, want %s", axeURL, got, axeDigest)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", err
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return "", err
	}
	return script(data)
})

func digest(data []byte) string {
	sum := sha512.Sum512(data)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// An offline is an error of a machine that reaches no registry.
type offline struct{ error }

func download(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, offline{err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, axeLimit))
}

// script is the checker in its package.
func script(data []byte) (string, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(unzipped); ; {
		f, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("%s: %w", axeScript, err)
		}
		if f.Name == axeScript {
			text, err := io.ReadAll(files)
			return string(text), err
		}
	}
}

// Violations are what the accessibility checker finds in the page, a line each with the elements; incomplete is what it cannot
// decide. Where neither a cache nor the registry has the checker, ok is false and the log says so.
func (p *Page) Violations() (violations, incomplete []string, ok bool) {
	p.t.Helper()
	text, err := axe()
	if errors.As(err, new(offline)) {
		p.t.Logf("the accessibility checker is not here: %v", err)
		return nil, nil, false
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.Eval(text+";0", nil)
	type rule struct {
		ID    string `json:"id"`
		Help  string `json:"help"`
		Nodes []struct {
			Target  []any  `json:"target"`
			HTML    string `json:"html"`
			Summary string `json:"failureSummary"`
		} `json:"nodes"`
	}
	var found struct {
		Violations, Incomplete []rule
		Passes                 []rule
	}
	p.Eval("axe.run(document, { iframes: false })", &found)
	if len(found.Passes) == 0 {
		p.t.Fatal("the accessibility checker looked at nothing")
	}
	lines := func(rules []rule) (out []string) {
		for _, r := range rules {
			for _, n := range r.Nodes {
				summary := strings.ReplaceAll(n.Summary, "\n", "\n\t")
				out = append(out, fmt.Sprintf("%s (%s) at %v: %.120s\n\t%s", r.ID, r.Help, n.Target, n.HTML, summary))
			}
		}
		return out
	}
	return lines(found.Violations), lines(found.Incomplete), true
}
