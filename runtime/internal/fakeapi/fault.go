package fakeapi

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Fault answers in the server's place and tells whether it did. carryOut does what was asked for, unseen.
type Fault func(s *Server, w http.ResponseWriter, r *http.Request, carryOut func()) (answered bool)

// Status answers with the code, and quotes marker as the real server quotes Secrets.
func Status(code int, marker string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		refuse(w, code, []byte(marker))
		return true
	}
}

// RetryAfter answers 429 with the header.
func RetryAfter(seconds string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		w.Header().Set("Retry-After", seconds)
		refuse(w, http.StatusTooManyRequests, nil)
		return true
	}
}

// InStream answers 200 and, as the first event, an ERROR with the code.
func InStream(code int, marker string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		_ = json.NewEncoder(w).Encode(object{"type": "ERROR", "object": status(code, []byte(marker))})
		return true
	}
}

// Cut closes the connection before anything is done.
func Cut(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool { return hangUp(w, "") }

// CutAfter does what was asked for and closes the connection without an answer. It is not for watches.
func CutAfter(_ *Server, w http.ResponseWriter, _ *http.Request, carryOut func()) bool {
	carryOut()
	return hangUp(w, "")
}

// CutWithin begins an answer and closes the connection in the middle of it.
func CutWithin(text string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		return hangUp(w, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"+text)
	}
}

// Garbage answers something that is not HTTP.
func Garbage(text string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool { return hangUp(w, text) }
}

// Body answers 200 with a text of the test's.
func Body(text string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		_, _ = io.WriteString(w, text)
		return true
	}
}

// Hang answers nothing until the client leaves; with a beginning it answers that first.
func Hang(beginning string) Fault {
	return func(_ *Server, w http.ResponseWriter, r *http.Request, _ func()) bool {
		if beginning != "" {
			_, _ = io.WriteString(w, beginning)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		return true
	}
}

// Late does what was asked for only after the time has passed, however long the client waits.
func Late(after time.Duration) Fault {
	return func(_ *Server, _ http.ResponseWriter, r *http.Request, carryOut func()) bool {
		go func() {
			time.Sleep(after)
			carryOut()
		}()
		<-r.Context().Done()
		return true
	}
}

func hangUp(w http.ResponseWriter, text string) bool {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return true
	}
	_, _ = io.WriteString(connection, text)
	_ = connection.Close()
	return true
}
