package test

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Fault may respond in place of the server and reports whether it did. handle processes the request without a response.
type Fault func(s *Server, w http.ResponseWriter, r *http.Request, handle func()) (responded bool)

// Status responds with the code and quotes marker, as the real server quotes Secrets.
func Status(code int, marker string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		refuse(w, code, []byte(marker))
		return true
	}
}

// RetryAfter responds with 429 and the header.
func RetryAfter(seconds string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		w.Header().Set("Retry-After", seconds)
		refuse(w, http.StatusTooManyRequests, nil)
		return true
	}
}

// InStream responds with 200 and an ERROR event with the code.
func InStream(code int, marker string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		_ = json.NewEncoder(w).Encode(object{"type": "ERROR", "object": status(code, []byte(marker))})
		return true
	}
}

// Cut closes the connection without processing the request.
func Cut(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool { return hangUp(w, "") }

// CutAfter processes the request and closes the connection without a response. It is not for watches.
func CutAfter(_ *Server, w http.ResponseWriter, _ *http.Request, handle func()) bool {
	handle()
	return hangUp(w, "")
}

// CutWithin closes the connection in the middle of the response.
func CutWithin(text string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		return hangUp(w, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"+text)
	}
}

// Garbage responds with text that is not HTTP.
func Garbage(text string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool { return hangUp(w, text) }
}

// Body responds with 200 and a body.
func Body(text string) Fault {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request, _ func()) bool {
		_, _ = io.WriteString(w, text)
		return true
	}
}

// Hang sends the start of a body, if any, and then nothing until the client gives up.
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

// Late processes the request after a delay and sends no response.
func Late(after time.Duration) Fault {
	return func(_ *Server, _ http.ResponseWriter, r *http.Request, handle func()) bool {
		go func() {
			time.Sleep(after)
			handle()
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
