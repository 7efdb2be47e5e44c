package server

import (
	"errors"
	"fmt"
	"sync"
)

// A logger passes warnings and errors of nats-server on, and keeps it from ending the process.
type logger struct {
	log func(text string)

	mu     sync.Mutex
	failed error
}

// Noticef drops what is no more than news.
func (*logger) Noticef(string, ...any) {}

// Debugf drops a message for who mends nats-server.
func (*logger) Debugf(string, ...any) {}

// Tracef drops a message for who mends nats-server.
func (*logger) Tracef(string, ...any) {}

// Warnf passes a warning on.
func (l *logger) Warnf(format string, args ...any) { l.log(fmt.Sprintf(format, args...)) }

// Errorf passes an error on.
func (l *logger) Errorf(format string, args ...any) { l.log(fmt.Sprintf(format, args...)) }

// Fatalf keeps the reason for which the server cannot run.
func (l *logger) Fatalf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = errors.Join(l.failed, fmt.Errorf(format, args...))
}

// fatal is that reason, or nil.
func (l *logger) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}
