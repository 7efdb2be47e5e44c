package cli

import (
	"image"
	_ "image/png" // of screenshots
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/tier"
)

// TestPagesInBrowser: a browser has nothing to say of the page of a refutation, and draws it, in light and in dark, with something in
// each quarter of it.
func TestPagesInBrowser(t *testing.T) {
	tier.Sweep(t)
	const browser = "chromium"
	if _, err := exec.LookPath(browser); err != nil {
		t.Logf("no %s: no page is opened; .ci/deps %s installs it", browser, browser)
		return
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	file := filepath.Join(root, "testdata", "check", "average-pool-after-1x1-with-bias-bad.txtar")
	if exit, _, errs := run("check", "--no-timing", "--format", "html", "-o", page, file); exit != exitRefuted {
		t.Fatal(errs)
	}
	open := func(name string, flags ...string) (*image.Gray, string) {
		shot := filepath.Join(dir, "shot.png")
		args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
			"--user-data-dir=" + filepath.Join(dir, "profile"), "--window-size=1200,1600", "--screenshot=" + shot}, flags...)
		said, err := exec.CommandContext(t.Context(), browser, append(args, "file://"+name)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		f, err := os.Open(shot)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		picture, _, err := image.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		gray := image.NewGray(picture.Bounds())
		for y := range gray.Rect.Dy() {
			for x := range gray.Rect.Dx() {
				gray.Set(x, y, picture.At(x, y))
			}
		}
		return gray, string(said)
	}
	light, said := open(page)
	dark, more := open(page, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")
	if strings.Contains(said+more, "CONSOLE") {
		t.Errorf("the browser says\n%s%s", said, more)
	}
	for name, picture := range map[string]*image.Gray{"light": light, "dark": dark} {
		if got := common(picture, picture.Rect) < 128; got != (name == "dark") {
			t.Errorf("%s: the page is dark: %t", name, got)
		}
		half := picture.Rect.Max.Div(2)
		for _, at := range []image.Point{{}, {half.X, 0}, {0, half.Y}, half} {
			if empty(picture, image.Rectangle{at, at.Add(half)}) {
				t.Errorf("%s: nothing is to be seen at %v", name, at)
			}
		}
	}
	// What is looked for is found.
	wrong := filepath.Join(dir, "wrong.html")
	if err := os.WriteFile(wrong, []byte(`<script>console.error("no")</script>`), 0o666); err != nil {
		t.Fatal(err)
	}
	blank, said := open(wrong)
	if !strings.Contains(said, "CONSOLE") || !empty(blank, blank.Rect) {
		t.Errorf("an error of a page without anything in it is not seen: %s", said)
	}
}

// common is the grey that a picture has most of in a rectangle.
func common(p *image.Gray, in image.Rectangle) (most uint8) {
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

// empty tells whether fewer than one in two hundred points of a rectangle differ much from the grey that it has most of.
func empty(p *image.Gray, in image.Rectangle) bool {
	ground, others := int(common(p, in)), 0
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if d := int(p.GrayAt(x, y).Y) - ground; d > 60 || d < -60 {
				others++
			}
		}
	}
	return others*200 < in.Dx()*in.Dy()
}
