// Package chrome drives Chromium without a window, for tests of pages.
//
//	chrome.go  a browser, its pages, what they say and how they look
//	axe.go     the accessibility checker axe-core in a page
//
// A browser is told what to do by messages of the Chrome DevTools Protocol over two pipes; nothing listens.
package chrome

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the browser, as Debian calls it.
const program = "chromium"

// A Browser is a process of Chromium, which ends with the test that started it.
type Browser struct {
	t    testing.TB
	in   io.Writer
	mu   sync.Mutex
	last int
	open map[int]chan message // by the number of the request
	tabs map[string]*Page     // by their sessions
}

// A message is a request, an answer to one or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts a browser. Where there is none it says so, and returns nil: then no page is opened.
func Start(t testing.TB) *Browser {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Logf("no %s: no page is opened; .ci/deps %s installs it", program, program)
		return nil
	}
	commands, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(),
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank") // a page loads nothing from elsewhere
	cmd.ExtraFiles = []*os.File{commands, answers} // 3 and 4, where the browser looks for them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	commands.Close()
	answers.Close()
	b := &Browser{t: t, in: in, open: map[int]chan message{}, tabs: map[string]*Page{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(out)
	}()
	t.Cleanup(func() {
		in.Close() // which ends it
		<-read
		_ = cmd.Wait()
		out.Close()
	})
	return b
}

// read takes what the browser says until it ends.
func (b *Browser) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes(0)
		var m message
		if err != nil || json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) != nil {
			break
		}
		b.mu.Lock()
		if m.ID != 0 {
			b.open[m.ID] <- m
			delete(b.open, m.ID)
		} else if p := b.tabs[m.Session]; p != nil {
			p.event(m)
		}
		b.mu.Unlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.open {
		close(c)
	}
	b.open = nil
}

// call has the browser do something, and decodes what it answers. Errors of the protocol end the test.
func (b *Browser) call(session, method string, params, result any) {
	b.t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		b.t.Fatal(err)
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	if b.open == nil {
		b.mu.Unlock()
		b.t.Fatalf("%s: the browser ended", method)
	}
	b.last++
	b.open[b.last] = answer
	line, err := json.Marshal(message{ID: b.last, Session: session, Method: method, Params: data})
	if err == nil {
		_, err = b.in.Write(append(line, 0))
	}
	b.mu.Unlock()
	if err != nil {
		b.t.Fatal(err)
	}
	m, ok := <-answer
	switch {
	case !ok:
		b.t.Fatalf("%s: the browser ended", method)
	case m.Error != nil:
		b.t.Fatalf("%s: %s", method, m.Error.Message)
	case result != nil:
		if err := json.Unmarshal(m.Result, result); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
	}
}

// A Page is a tab of a browser.
type Page struct {
	*Browser
	session string
	said    []string // under mu of the browser
}

type object = map[string]any

// Open opens a tab of a width and height in CSS pixels, for a reader who wants it light or dark, and has it load a page.
func (b *Browser) Open(url string, width, height int, dark bool) *Page {
	b.t.Helper()
	var target struct {
		ID string `json:"targetId"`
	}
	b.call("", "Target.createTarget", object{"url": "about:blank"}, &target)
	var attached struct {
		Session string `json:"sessionId"`
	}
	b.call("", "Target.attachToTarget", object{"targetId": target.ID, "flatten": true}, &attached)
	p := &Page{Browser: b, session: attached.Session}
	b.mu.Lock()
	b.tabs[p.session] = p
	b.mu.Unlock()
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	p.do("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}})
	p.Resize(width, height)
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		p.do(domain+".enable", object{})
	}
	p.Go(url)
	return p
}

func (p *Page) do(method string, params object) {
	p.t.Helper()
	p.call(p.session, method, params, nil)
}

// Resize gives the tab another size.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.do("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

// Go loads another page.
func (p *Page) Go(url string) {
	p.t.Helper()
	p.do("Page.navigate", object{"url": url})
	p.Wait("document.readyState === 'complete'")
}

// Eval evaluates an expression of JavaScript, waits for it if it is a promise, and decodes the result, which may be nil.
func (p *Page) Eval(expression string, result any) {
	p.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	p.call(p.session, "Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if e := answer.Exception; e != nil {
		p.t.Fatalf("%.200s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		p.t.Fatalf("%.200s: %v", expression, err)
	}
}

// looks is how often Wait looks.
const looks = 12_000

// Wait waits until an expression is true. It ends the test after so many looks that no machine is as slow.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	for range looks {
		var is bool
		if p.Eval("!!("+expression+")", &is); is {
			return
		}
		time.Sleep(10 * time.Millisecond) // to be fair: the browser has work to do
	}
	p.t.Fatalf("never: %s", expression)
}

// event keeps what a page says: to the console, by exceptions, of what it could not load.
func (p *Page) event(m message) {
	switch m.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		p.said = append(p.said, m.Method+" "+string(m.Params))
	}
}

// Said is what the page has said: to the console, by exceptions, of what it could not load or was not allowed to.
func (p *Page) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said, "\n")
}

// screenshot is what is to be seen.
func (p *Page) screenshot() image.Image {
	p.t.Helper()
	var shot struct {
		Data string `json:"data"`
	}
	p.call(p.session, "Page.captureScreenshot", object{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	return decoded
}

// shades is how many colours a drawing has: those that the page has most of.
const shades = 40

// Draw writes what is to be seen to a file, a small PNG for a document.
func (p *Page) Draw(name string) {
	p.t.Helper()
	shot := p.screenshot()
	count := map[color.Color]int{}
	bounds := shot.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			count[shot.At(x, y)]++
		}
	}
	palette := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int {
		text := func(c color.Color) string { return fmt.Sprint(c) }
		return cmp.Or(count[b]-count[a], strings.Compare(text(a), text(b)))
	})
	drawn := image.NewPaletted(bounds, palette[:min(shades, len(palette))])
	draw.Draw(drawn, bounds, shot, image.Point{}, draw.Src) // which takes the nearest colour
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, drawn)
	if err == nil {
		err = os.WriteFile(name, b.Bytes(), 0o666)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// Picture is what is to be seen in shades of grey.
func (p *Page) Picture() Picture {
	p.t.Helper()
	shot := p.screenshot()
	gray := image.NewGray(shot.Bounds())
	for y := range gray.Rect.Dy() {
		for x := range gray.Rect.Dx() {
			gray.Set(x, y, shot.At(x, y))
		}
	}
	return Picture{gray}
}

// A Picture is a page in shades of grey.
type Picture struct{ *image.Gray }

// Common is the grey that a picture has most of in a rectangle.
func (p Picture) Common(in image.Rectangle) (most uint8) {
	var count [256]int
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			count[p.GrayAt(x, y).Y]++
		}
	}
	for grey, n := range count {
		if n > count[most] {
			most = uint8(grey)
		}
	}
	return most
}

// Empty tells whether fewer than one in two hundred points of a rectangle differ much from the grey that it has most of.
func (p Picture) Empty(in image.Rectangle) bool {
	ground, others := int(p.Common(in)), 0
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if d := int(p.GrayAt(x, y).Y) - ground; d > 60 || d < -60 {
				others++
			}
		}
	}
	return others*200 < in.Dx()*in.Dy()
}

// Quarters are the four quarters of a picture.
func (p Picture) Quarters() []image.Rectangle {
	half := p.Rect.Max.Div(2)
	var out []image.Rectangle
	for _, at := range []image.Point{{}, {X: half.X}, {Y: half.Y}, half} {
		out = append(out, image.Rectangle{Min: at, Max: at.Add(half)})
	}
	return out
}

// File is the address of a file.
func File(name string) string { return fmt.Sprintf("file://%s", name) }
