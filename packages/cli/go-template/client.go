// Package PACKAGE calls the API of a Jackfield installation.
//
// Written by `jackfield generate go-client`. Write it again after an upgrade; do not change it by hand.
package PACKAGE

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls one installation with one key. Its methods may be used by several goroutines at once.
type Client struct {
	// Address of the installation, such as http://127.0.0.1:3003.
	BaseURL string
	// API key, or token of a connect session or of an agent's session.
	Token string
	// Sends the requests; http.DefaultClient where it is nil.
	HTTP *http.Client
}

// NewClient makes a client of an installation whose calls take at most a minute.
func NewClient(baseURL, token string) *Client {
	return &Client{BaseURL: baseURL, Token: token, HTTP: &http.Client{Timeout: time.Minute}}
}

// Error is an answer that says what was wrong with a call.
type Error struct {
	// Status of the answer.
	Status int `json:"-"`
	// Code stays the same between versions; empty where the answer was none of the API.
	Code string `json:"code"`
	// Message says what to change.
	Message string `json:"message"`
	// Errors has each fault of the request, where there are several.
	Errors []map[string]any `json:"errors,omitempty"`
	// Header of the answer, such as Retry-After.
	Header http.Header `json:"-"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s (%d): %s", e.Code, e.Status, e.Message)
}

// IsCode says whether an error is an answer with this code.
func IsCode(err error, code string) bool {
	var answered *Error
	return errors.As(err, &answered) && answered.Code == code
}

// Nullable is a field that may be null: a nil pointer to it leaves the field out, `Null[T]()` sends null.
type Nullable[T any] struct {
	Value T
	// IsNull sends null in place of the value.
	IsNull bool
}

// Null is the value null of a field.
func Null[T any]() *Nullable[T] { return &Nullable[T]{IsNull: true} }

// NonNull is a value of a field that may be null.
func NonNull[T any](value T) *Nullable[T] { return &Nullable[T]{Value: value} }

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.IsNull {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// UnmarshalJSON reads the value.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		n.IsNull = true
		return nil
	}
	return json.Unmarshal(text, &n.Value)
}

// Ptr is a pointer to a value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }

// Option changes a request before it is sent.
type Option func(*http.Request)

// WithHeader sets a header of the request.
func WithHeader(name, value string) Option {
	return func(request *http.Request) { request.Header.Set(name, value) }
}

// WithQuery adds a value to the request's query.
func WithQuery(name, value string) Option {
	return func(request *http.Request) {
		query := request.URL.Query()
		query.Add(name, value)
		request.URL.RawQuery = query.Encode()
	}
}

type call struct {
	method string
	path   string
	query  url.Values
	header http.Header
	// JSON of the body, or nil.
	json any
	raw  io.Reader
}

// send answers what came with a status under 400; who calls it closes its body.
func (c *Client) send(ctx context.Context, asked call, options []Option) (*http.Response, error) {
	body := asked.raw
	if asked.json != nil {
		text, err := json.Marshal(asked.json)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	address := strings.TrimRight(c.BaseURL, "/") + asked.path
	if len(asked.query) > 0 {
		address += "?" + asked.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, asked.method, address, body)
	if err != nil {
		return nil, err
	}
	for name, values := range asked.header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if asked.json != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, option := range options {
		option(request)
	}
	sender := c.HTTP
	if sender == nil {
		sender = http.DefaultClient
	}
	answer, err := sender.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 400 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, readError(answer)
}

const longestError = 1 << 20

func readError(answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, longestError))
	if err != nil {
		return err
	}
	failed := struct {
		Error Error `json:"error"`
	}{}
	if json.Unmarshal(text, &failed) != nil || failed.Error.Message == "" {
		failed.Error.Message = string(text)
	}
	failed.Error.Status = answer.StatusCode
	failed.Error.Header = answer.Header
	return &failed.Error
}

func sendFor[T any](ctx context.Context, c *Client, asked call, options []Option) (*T, error) {
	answer, err := c.send(ctx, asked, options)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	result := new(T)
	if err := json.NewDecoder(answer.Body).Decode(result); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s %s: %w", asked.method, asked.path, err)
	}
	return result, nil
}

func (c *Client) sendForNothing(ctx context.Context, asked call, options []Option) error {
	answer, err := c.send(ctx, asked, options)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// escapePath keeps the slashes of a path within a path.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for index, part := range parts {
		parts[index] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

func addText(values map[string][]string, name string, value *string) {
	if value != nil {
		values[name] = append(values[name], *value)
	}
}

func addTexts(values map[string][]string, name string, list []string) {
	values[name] = append(values[name], list...)
}

func addFields(values map[string][]string, name string, fields map[string]string) {
	for key, value := range fields {
		field := name + "[" + key + "]"
		values[field] = append(values[field], value)
	}
}
