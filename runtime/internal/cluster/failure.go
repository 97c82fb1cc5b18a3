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

// Failure is a failed request. Its text contains only the status code of the response, unless Message is set.
type Failure struct {
	// Verb is watch, patch, list, delete, deletecollection or create.
	Verb string
	// Object is the object of the request.
	Object Ref
	// Code is the HTTP status, 0 without a response.
	Code int
	// Reason describes why there was no usable response. It is empty if Code is an error status.
	Reason string
	// Message is the server's message, for requests without a Secret.
	Message string
	// Conflicts are the fields for which a server-side apply was refused.
	Conflicts []FieldConflict
	// RetryAfter is the time that the server asks to wait.
	RetryAfter time.Duration
}

func (f *Failure) Error() string {
	text := f.Reason
	if f.Code != 0 {
		text = strconv.Itoa(f.Code) + " " + http.StatusText(f.Code)
	}
	if f.Message != "" {
		text += " (" + f.Message + ")"
	}
	return fmt.Sprintf("%s %s: %s%s", f.Verb, f.Object, text, f.advice())
}

func (f *Failure) advice() string {
	switch f.Code {
	case http.StatusUnauthorized:
		return ": the service account token must be valid"
	case http.StatusForbidden:
		return fmt.Sprintf(": a %s must grant the Pod's ServiceAccount %q on it", f.role(), f.Verb)
	case http.StatusNotFound:
		if kind := f.Object.Kind; kind.Group != "" && f.Verb == "patch" {
			return fmt.Sprintf(": the cluster must serve %s of %s/%s", kind.Plural, kind.Group, kind.Version)
		}
		return ": it must be applied with the Job that uses it"
	case http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if f.Object.Kind == KindSecret {
			return ": the outputs must fit in one Secret"
		}
	}
	return ""
}

// role returns the kind of object that grants permissions on the request's object.
func (f *Failure) role() string {
	if f.Object.Namespace == "" {
		return "ClusterRole"
	}
	return "Role"
}

// Temporary reports whether a retry may succeed.
func (f *Failure) Temporary() bool {
	if len(f.Conflicts) > 0 {
		return false
	}
	switch f.Code {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests:
		return true
	default:
		return f.Code >= 500
	}
}

// MayBeUnapplied reports whether the request may succeed once all objects of the same render are applied.
func (f *Failure) MayBeUnapplied() bool {
	return f.Code == http.StatusUnauthorized || f.Code == http.StatusForbidden || f.Code == http.StatusNotFound
}

// reason describes a transport error in fixed words, since errors of net/http quote received data.
func reason(err error) string {
	var errno syscall.Errno
	var netError net.Error
	var unknown x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netError) && netError.Timeout():
		return "timed out"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &unknown), errors.As(err, &certificate):
		return "the server's certificate is not signed by ca.crt"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	default:
		return "the connection failed"
	}
}
