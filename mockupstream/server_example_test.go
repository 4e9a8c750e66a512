package mockupstream_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// A key of one request a minute, as its client sees it.
func ExampleServer() {
	s, err := mockupstream.NewServer(mockupstream.ServerConfig{Provider: mockupstream.Config{
		Models: []mockupstream.Model{{Name: "small"}},
		Quotas: []mockupstream.Quota{{Name: "small", RPM: 1}},
		Keys:   []mockupstream.Key{{ID: "k1", Quotas: []int{0}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	vendor := httptest.NewServer(s)
	defer vendor.Close()
	for range 2 {
		r, _ := http.NewRequest("POST", vendor.URL+"/v1/chat/completions", strings.NewReader(`{"model":"small","messages":[{"role":"user","content":"hello"}]}`))
		r.Header.Set("Authorization", "Bearer k1")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		fmt.Printf("%d %q\n", answer.StatusCode, answer.Header.Get("Retry-After"))
	}
	fmt.Println(s.Books().Refused429, "refused")
	// Output:
	// 200 ""
	// 429 "60"
	// 1 refused
}
