package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// Failure is a request that did not succeed. Its text holds nothing that the server sent but the status code.
type Failure struct {
	// Verb is watch, patch or delete.
	Verb string
	// Secret is what it was about.
	Secret Ref
	// Code is the HTTP status, 0 where there was no answer.
	Code int
	// Reason says in our words why there was no usable answer. Empty where the code says it.
	Reason string
	// After is how long the server asks to wait.
	After time.Duration
}

func (f *Failure) Error() string {
	text := f.Reason
	if f.Code != 0 {
		text = strconv.Itoa(f.Code) + " " + http.StatusText(f.Code)
	}
	return fmt.Sprintf("%s secret %q in namespace %q: %s%s", f.Verb, f.Secret.Name, f.Secret.Namespace, text, f.advice())
}

func (f *Failure) advice() string {
	switch f.Code {
	case http.StatusUnauthorized:
		return ": the helper's token must be valid"
	case http.StatusForbidden:
		return fmt.Sprintf(": a Role must grant the Pod's ServiceAccount %q on it", f.Verb)
	case http.StatusNotFound:
		return ": it must be applied with the Job that writes it"
	case http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return ": the outputs must fit in one Secret"
	default:
		return ""
	}
}

// Temporary tells whether the same request may succeed later without anybody doing anything.
func (f *Failure) Temporary() bool {
	switch f.Code {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests:
		return true
	default:
		return f.Code >= 500
	}
}

// Early tells whether the request may succeed once all objects of the same render are applied.
func (f *Failure) Early() bool {
	return f.Code == http.StatusUnauthorized || f.Code == http.StatusForbidden || f.Code == http.StatusNotFound
}

// reason says what went wrong below HTTP. The error's own text is dropped: that of net/http quotes what was received.
func reason(err error) string {
	var number syscall.Errno
	var network net.Error
	var unknown x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timed out"
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &unknown), errors.As(err, &certificate):
		return "the server's certificate is not signed by ca.crt"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was cut"
	default:
		return "the connection failed"
	}
}
