// Package server is a NATS server with JetStream in this process, for workers of package fuzz/cluster to join. Any other
// NATS server serves as well. It is a package by itself for what it weighs: tv does not link it.
package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tv/internal/files"
	"tv/internal/source"
)

// The codes of what can be wrong.
const (
	CodeStart    = "cluster-start"    // its configuration, address or certificate cannot be used
	CodeStore    = "cluster-store"    // its directory cannot be written, or another server has it
	CodeAnywhere = "cluster-anywhere" // it would listen beyond this machine, and nobody said that it may
)

// Options are those of a server.
type Options struct {
	Listen   string // HOST:PORT; port 0 is any that is free
	Store    string // directory that keeps all, made if need be
	Anywhere bool   // Listen may be an address that other machines reach
	Config   string // a file of nats-server's, for accounts and all that is not here, or ""
	Cert     string // files of a certificate and its key: connections are encrypted
	Key      string
	CA       string // file of certificates: clients must have one that these sign
	Log      func(text string)
}

// A Server runs until it is stopped.
type Server struct {
	server *server.Server
	lock   *os.File
}

// Start starts a server; when it returns, workers can join. Errors: *source.Error with one of the codes above.
func Start(o Options) (*Server, error) {
	opts, err := o.configuration()
	if err != nil {
		return nil, err
	}
	if !o.Anywhere {
		if err := loopback(opts); err != nil {
			return nil, err
		}
	}
	lock, err := lockStore(o.Store)
	if err != nil {
		return nil, err
	}
	s, err := run(opts, o.Log)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &Server{s, lock}, nil
}

// URL is where workers on this machine reach it.
func (s *Server) URL() string { return s.server.ClientURL() }

// Stop ends the server. What it was told is in its directory.
func (s *Server) Stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.lock.Close()
}

// maxPayload is the longest entry in bytes: findings hold programs with their inputs.
const maxPayload = 8 << 20

// configuration is what nats-server is told.
func (o Options) configuration() (*server.Options, error) {
	opts := &server.Options{}
	if o.Config != "" {
		read, err := server.ProcessConfigFile(o.Config)
		if err != nil {
			return nil, &source.Error{Name: o.Config, Code: CodeStart, Msg: "is no configuration of nats-server: " + err.Error(), Err: err}
		}
		opts = read
	}
	host, port, err := net.SplitHostPort(o.Listen)
	number, errPort := strconv.ParseUint(port, 10, 16)
	if err != nil || errPort != nil || host == "" {
		return nil, &source.Error{Code: CodeStart, Msg: fmt.Sprintf("an address to listen at is HOST:PORT, not %q", o.Listen)}
	}
	if opts.Host, opts.Port = host, int(number); number == 0 {
		opts.Port = server.RANDOM_PORT
	}
	opts.JetStream, opts.StoreDir, opts.NoSigs, opts.DontListen = true, o.Store, true, false
	if opts.MaxPayload == 0 {
		opts.MaxPayload = maxPayload
	}
	if o.Cert == "" && o.Key == "" && o.CA == "" {
		return opts, nil
	}
	if o.Cert == "" || o.Key == "" { // or else it would start, and nobody could join it
		return nil, &source.Error{Code: CodeStart, Msg: "encryption wants a certificate and its key: --tlscert and --tlskey"}
	}
	tls := server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key, CaFile: o.CA, Verify: o.CA != ""}
	if opts.TLSConfig, err = server.GenTLSConfig(&tls); err != nil {
		return nil, &source.Error{Code: CodeStart, Msg: "the certificate cannot be used: " + err.Error(), Err: err}
	}
	opts.TLS, opts.TLSVerify = true, o.CA != ""
	return opts, nil
}

// loopback refuses a configuration with a port that other machines reach.
func loopback(o *server.Options) error {
	type port struct {
		host string
		open bool
	}
	ports := []port{{o.Host, true}, {o.HTTPHost, o.HTTPPort != 0 || o.HTTPSPort != 0}, {o.Cluster.Host, o.Cluster.Port != 0},
		{o.Gateway.Host, o.Gateway.Port != 0}, {o.LeafNode.Host, o.LeafNode.Port != 0}, {o.Websocket.Host, o.Websocket.Port != 0},
		{o.MQTT.Host, o.MQTT.Port != 0}, {o.Host, o.ProfPort != 0}}
	for _, p := range ports {
		if ip := net.ParseIP(p.host); p.open && p.host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return &source.Error{Code: CodeAnywhere, Msg: fmt.Sprintf("other machines reach %q: --anywhere says that they may, and TLS and "+
				"accounts who may do what", p.host)}
		}
	}
	return nil
}

// lockStore makes a directory and keeps other servers out of it.
func lockStore(dir string) (*os.File, error) {
	fail := func(format string, args ...any) (*os.File, error) {
		return nil, &source.Error{Name: dir, Code: CodeStore, Msg: fmt.Sprintf(format, args...)}
	}
	if dir == "" {
		return fail("--store is to name a directory")
	}
	if err := files.MakeDirectory(dir); err != nil {
		return fail("cannot be made: %s", files.Cause(err))
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fail("cannot be written: %s", files.Cause(err))
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return fail("another server has it")
	}
	return f, nil
}

// readyTimeout is how long a server may take to read what its directory keeps.
const readyTimeout = 60 * time.Second

// run starts nats-server.
func run(opts *server.Options, log func(string)) (*server.Server, error) {
	fail := func(err error) (*server.Server, error) {
		return nil, &source.Error{Code: CodeStart, Msg: "the server does not start: " + err.Error(), Err: err}
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return fail(err)
	}
	l := &logger{log: log}
	s.SetLoggerV2(l, false, false, false)
	s.Start()
	if !s.ReadyForConnections(readyTimeout) || !s.JetStreamEnabled() {
		s.Shutdown()
		s.WaitForShutdown()
		return fail(errors.Join(l.fatal(), errors.New("it is not ready")))
	}
	return s, nil
}
