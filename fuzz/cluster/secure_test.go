package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"tv/fuzz/cluster/server"
)

// An authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	name string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t, dir: t.TempDir(), name: name}
	a.cert, a.key = nil, nil
	a.cert, a.key = a.make("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// file is that of a certificate, or of its key.
func (a *authority) file(name string) string { return filepath.Join(a.dir, name+".pem") }

// make writes a certificate and its key, signed by the authority or, for its own, by itself.
func (a *authority) make(name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	fail := func(err error) {
		a.t.Helper()
		if err != nil {
			a.t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fail(err)
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: a.name + " " + name}
	if c.NotAfter.IsZero() {
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	fail(err)
	raw, err := x509.MarshalECPrivateKey(key)
	fail(err)
	fail(os.WriteFile(a.file(name), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	fail(os.WriteFile(a.file(name+"-key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}), 0o600))
	made, err := x509.ParseCertificate(der)
	fail(err)
	return made, key
}

func (a *authority) server(name string) {
	a.make(name, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
}

func (a *authority) client(name string) {
	a.make(name, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
}

// tries runs a small campaign, or returns why it cannot.
func tries(t *testing.T, s Server) error {
	t.Helper()
	_, err := campaign(t, &toy{}, 20).Run(context.Background(), s)
	return err
}

// TestTLS: a worker joins a server whose certificate its authorities sign, and where the server asks for one, with a certificate that the
// server's authorities sign; all others are refused, and nothing is said without encryption.
func TestTLS(t *testing.T) {
	right, wrong := newAuthority(t, "right"), newAuthority(t, "wrong")
	right.server("server")
	right.client("worker")
	wrong.client("worker")
	right.make("old", &x509.Certificate{NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	for _, mutual := range []bool{false, true} {
		o := server.Options{Listen: "127.0.0.1:0", Store: t.TempDir(), Cert: right.file("server"), Key: right.file("server-key"), Log: func(text string) { t.Log("server:", text) }}
		if mutual {
			o.CA = right.file("ca")
		}
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		address := s.URL()[strings.LastIndex(s.URL(), "/")+1:]
		for _, test := range []struct {
			name   string
			server Server
			want   string // "": joins
			mutual string
		}{
			{"right", Server{CA: right.file("ca"), Cert: right.file("worker"), Key: right.file("worker-key")}, "", ""},
			{"no certificate", Server{CA: right.file("ca")}, "", "cannot be used"},
			{"no authority", Server{}, "certificate", "certificate"},
			{"another authority", Server{CA: wrong.file("ca"), Cert: right.file("worker"), Key: right.file("worker-key")}, "certificate", "certificate"},
			// Of these the connection may end before the server's reason is read.
			{"another's certificate", Server{CA: right.file("ca"), Cert: wrong.file("worker"), Key: wrong.file("worker-key")}, "", "cannot be used"},
			{"a server's certificate", Server{CA: right.file("ca"), Cert: right.file("server"), Key: right.file("server-key")}, "", "cannot be used"},
			{"an old certificate", Server{CA: right.file("ca"), Cert: right.file("old"), Key: right.file("old-key")}, "", "cannot be used"},
			{"no key", Server{CA: right.file("ca"), Cert: right.file("worker"), Key: right.file("none")}, "no such file", "no such file"},
			{"no file of authorities", Server{CA: right.file("none")}, "no such file", "no such file"},
		} {
			want := test.want
			if mutual {
				want = test.mutual
			}
			test.server.URL = "tls://" + address
			err := tries(t, test.server)
			if want == "" && err != nil || want != "" && (!coded(err, CodeServer) || !strings.Contains(err.Error(), want)) {
				t.Errorf("mutual %t, %s: %v, want %q", mutual, test.name, err, want)
			}
		}
		s.Stop()
	}
	for _, o := range []server.Options{{Cert: right.file("worker"), Key: right.file("server-key")}, {Cert: right.file("server")}, {CA: right.file("ca")},
		{Key: right.file("server-key")}, {Cert: right.file("server"), Key: right.file("server-key"), CA: right.file("none")}} {
		o.Listen, o.Store, o.Log = "127.0.0.1:0", t.TempDir(), func(string) {}
		if s, err := server.Start(o); !coded(err, server.CodeStart) {
			t.Errorf("a server starts with %+v: %v", o, err)
			if err == nil {
				s.Stop()
			}
		}
	}
}

// configured starts a server with a file of nats-server's.
func configured(t *testing.T, store, config string) *server.Server {
	t.Helper()
	name := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Store: store, Config: name, Log: func(text string) { t.Log("server:", text) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPasswords: a worker joins with a user's name and password, and with nothing else; no message has the password.
func TestPasswords(t *testing.T) {
	s := configured(t, t.TempDir(), `accounts { tv { jetstream: enabled, users: [ { user: worker, password: "s3cret-word" } ] } }`)
	defer s.Stop()
	address := s.URL()[strings.LastIndex(s.URL(), "/")+1:]
	for user, joins := range map[string]bool{"worker:s3cret-word@": true, "worker:s3cret-wore@": false, "worker@": false, "other:s3cret-word@": false, "": false, "s3cret-word@": false} {
		err := tries(t, Server{URL: "nats://" + user + address})
		if joins != (err == nil) || !joins && !coded(err, CodeServer) {
			t.Errorf("%q: %v", user, err)
		}
		if err != nil && (strings.Contains(err.Error(), "s3cret") && !strings.HasPrefix(user, "s3cret")) {
			t.Errorf("%q: the password is in %v", user, err)
		}
	}
}

// TestCreds: where accounts are those of an operator, a worker joins with a file of credentials that its account signs.
func TestCreds(t *testing.T) {
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	public := func(k nkeys.KeyPair) string {
		p, err := k.PublicKey()
		fail(err)
		return p
	}
	operator, err := nkeys.CreateOperator()
	fail(err)
	account, err := nkeys.CreateAccount()
	fail(err)
	system, err := nkeys.CreateAccount()
	fail(err)
	stranger, err := nkeys.CreateAccount()
	fail(err)
	o := jwt.NewOperatorClaims(public(operator))
	o.SystemAccount = public(system)
	operatorJWT, err := o.Encode(operator)
	fail(err)
	var preload strings.Builder
	for _, k := range []nkeys.KeyPair{account, system} {
		c := jwt.NewAccountClaims(public(k))
		if k == account {
			c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		text, err := c.Encode(operator)
		fail(err)
		fmt.Fprintf(&preload, "%s: %s\n", public(k), text)
	}
	s := configured(t, t.TempDir(), fmt.Sprintf("operator: %s\nresolver: MEMORY\nresolver_preload: {\n%s}\n", operatorJWT, preload.String()))
	defer s.Stop()
	creds := func(by nkeys.KeyPair, expires time.Duration) string {
		user, err := nkeys.CreateUser()
		fail(err)
		c := jwt.NewUserClaims(public(user))
		c.Expires = time.Now().Add(expires).Unix()
		text, err := c.Encode(by)
		fail(err)
		seed, err := user.Seed()
		fail(err)
		data, err := jwt.FormatUserConfig(text, seed)
		fail(err)
		name := filepath.Join(t.TempDir(), "worker.creds")
		fail(os.WriteFile(name, data, 0o600))
		return name
	}
	for _, test := range []struct {
		name, file string
		joins      bool
	}{{"right", creds(account, time.Hour), true}, {"of another account", creds(stranger, time.Hour), false}, {"expired", creds(account, -time.Hour), false},
		{"none", "", false}, {"no file", filepath.Join(t.TempDir(), "none.creds"), false}} {
		err := tries(t, Server{URL: s.URL(), Creds: test.file})
		if test.joins != (err == nil) || !test.joins && !coded(err, CodeServer) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
