package wire

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Ensure every form of a wait is read, and what is none is absent.
func TestRetryAfter(t *testing.T) {
	const none = time.Duration(-1)
	for _, c := range []struct {
		header []string
		want   time.Duration
	}{
		{[]string{"Retry-After", "2"}, 2 * time.Second},
		{[]string{"Retry-After", " 0 "}, 0},
		{[]string{"Retry-After", "1.5"}, 1500 * time.Millisecond},
		{[]string{"Retry-After", "0.001"}, time.Millisecond},
		{[]string{"Retry-After", "1e3"}, 1000 * time.Second},
		{[]string{"Retry-After", "86400"}, 24 * time.Hour},
		{[]string{"Retry-After", "99999999999999999999"}, maxWait},
		{[]string{"Retry-After", "1e400"}, maxWait},
		{[]string{"Retry-After", "Mon, 30 Nov 2026 12:00:30 GMT"}, 30 * time.Second},
		{[]string{"Retry-After", "Monday, 30-Nov-26 12:00:30 GMT"}, 30 * time.Second},
		{[]string{"Retry-After", "Mon, 30 Nov 2026 11:00:00 GMT"}, 0},
		{[]string{"Retry-After", "Mon, 30 Nov 2099 11:00:00 GMT"}, maxWait},
		{[]string{"Retry-After", "120, 120"}, 120 * time.Second},
		{[]string{"Retry-After", "60,120"}, 120 * time.Second},
		{[]string{"Retry-After", "60", "Retry-After", "120"}, 120 * time.Second},
		{[]string{"Retry-After", "x", "Retry-After", "120"}, 120 * time.Second},
		{[]string{"Retry-After-Ms", "250.5", "Retry-After", "1"}, 250500 * time.Microsecond},
		{[]string{"Retry-After-Ms", "0", "Retry-After", "1"}, 0},
		{[]string{"Retry-After-Ms", "1500", "Retry-After", "2"}, 1500 * time.Millisecond},
		{[]string{"Retry-After-Ms", "100", "Retry-After", "30"}, 30 * time.Second},
		{[]string{"Retry-After-Ms", "30000", "Retry-After", "1"}, 30 * time.Second},
		{[]string{"Retry-After-Ms", "100", "Retry-After", "Mon, 30 Nov 2026 12:00:30 GMT"}, 30 * time.Second},
		{[]string{"Retry-After-Ms", "1.5s"}, 1500 * time.Millisecond},
		{[]string{"Retry-After-Ms", "1796040030000"}, 30 * time.Second},
		{[]string{"Retry-After", "1,5"}, 1500 * time.Millisecond},
		{[]string{"Retry-After", "10,5"}, 10500 * time.Millisecond},
		{[]string{"Retry-After", "1, 5"}, 5 * time.Second},
		{[]string{"Retry-After", "1,50"}, 50 * time.Second},
		{[]string{"Retry-After", "1,2,3"}, 3 * time.Second},
		{[]string{"Retry-After", "10s"}, 10 * time.Second},
		{[]string{"Retry-After", "1.5s"}, 1500 * time.Millisecond},
		{[]string{"Retry-After", "1m30s"}, 90 * time.Second},
		{[]string{"Retry-After", "10s, 20s"}, 20 * time.Second},
		{[]string{"Retry-After", "48h"}, maxWait},
		{[]string{"Retry-After", "2026-11-30T12:00:30Z"}, 30 * time.Second},
		{[]string{"Retry-After", "2026-11-30T13:00:30.5+01:00"}, 30500 * time.Millisecond},
		{[]string{"Retry-After", "2026-11-30T11:00:00Z"}, 0},
		{[]string{"Retry-After", "1796040030"}, 30 * time.Second},
		{[]string{"Retry-After", "1796040030000"}, 30 * time.Second},
		{[]string{"Retry-After", "1796040030.5"}, 30500 * time.Millisecond},
		{[]string{"Retry-After", "1796030000"}, 0},
		{[]string{"Retry-After", "99999999999999"}, maxWait},
		{[]string{"Retry-After-Ms", "NaN", "Retry-After", "1"}, time.Second},
		{[]string{"Retry-After-Ms", "1e400"}, maxWait},
		{[]string{"Retry-After", "-1"}, none},
		{[]string{"Retry-After", "-0"}, none},
		{[]string{"Retry-After", "+1"}, none},
		{[]string{"Retry-After", "NaN"}, none},
		{[]string{"Retry-After", "Inf"}, none},
		{[]string{"Retry-After", "0x10"}, none},
		{[]string{"Retry-After", "1_0"}, none},
		{[]string{"Retry-After", "+1s"}, none},
		{[]string{"Retry-After", "-1s"}, none},
		{[]string{"Retry-After", "2026-11-30"}, none},
		{[]string{"Retry-After", "1,5,"}, none},
		{[]string{"Retry-After", "60, soon"}, none},
		{[]string{"Retry-After", ""}, none},
		{[]string{"Retry-After", "Mon, 30 Nov"}, none},
		{[]string{"X-Should-Retry", "false"}, none},
	} {
		p := ReadProblem(503, headers(c.header...), nil, noon)
		if got := p.RetryAfter; p.HasRetryAfter != (c.want != none) || p.HasRetryAfter && got != c.want {
			t.Errorf("%q: %v, %v, want %v", c.header, got, p.HasRetryAfter, c.want)
		}
	}
}

func TestWaitsInTheBody(t *testing.T) {
	for _, c := range []struct {
		body string
		want time.Duration // -1: none
	}{
		{`{"error":{"details":[{"retryDelay":"0s"}]}}`, 0},
		{`{"error":{"details":[{"retryDelay":"3.000000001s"}]}}`, 3*time.Second + 1},
		{`{"error":{"details":[{"retryDelay":"-3s"}]}}`, -1},
		{`{"error":{"details":[{"retryDelay":"3m"}]}}`, -1},
		{`{"error":{"details":[{"retryDelay":3}]}}`, -1},
		{`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":1796040001000}}}}`, time.Second},
		{`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"1796040001"}}}}`, time.Second},
		{`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"7"}}}}`, 7 * time.Second},
		{`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"1e300"}}}}`, -1},
		{`{"error":{"metadata":{"headers":{"X-RateLimit-Reset":null}}}}`, -1},
		{`{"error":{"message":"Please try again in 1m26.4s. Visit"}}`, 86401 * time.Millisecond},
		{`{"error":{"message":"Please try again in 20s."}}`, 20001 * time.Millisecond},
		{`{"error":{"message":"Please try again in -20s."}}`, -1},
		{`{"error":{"message":"Please try again in a while."}}`, -1},
		{`{"error":{"message":"Please try again later."}}`, -1},
		{`{"error":{"message":"Please retry in 12.5s."}}`, 12500 * time.Millisecond},
		{`{"error":{"message":"Please retry after 33 seconds. Visit"}}`, 33 * time.Second},
		{`{"error":{"message":"please retry after 1 second"}}`, time.Second},
		{`{"error":{"message":"Retry after 86401 seconds"}}`, maxWait},
		{`{"error":{"message":"Please retry after some seconds."}}`, -1},
		{`{"error":{"message":"Please retry after -3 seconds."}}`, -1},
		{`{"error":{"message":"Please retry after"}}`, -1},
		{`{"error":{"message":"Please retry in 5 minutes."}}`, -1},
		{`{"error":{"metadata":{"headers":[],"reasons":7}}}`, -1},
	} {
		p := ReadProblem(429, nil, []byte(c.body), noon)
		if p.HasRetryAfter != (c.want >= 0) || p.HasRetryAfter && p.RetryAfter != c.want {
			t.Errorf("%s: %v, %v, want %v", c.body, p.RetryAfter, p.HasRetryAfter, c.want)
		}
	}
	// Without a date there is no instant.
	for _, text := range []string{"1796040030", "1796040030000", "2026-11-30T12:00:30Z", "Mon, 30 Nov 2026 12:00:30 GMT"} {
		if p := ReadProblem(503, headers("Retry-After", text), nil, time.Time{}); p.HasRetryAfter {
			t.Errorf("%s: a wait of %v since the year 1", text, p.RetryAfter)
		}
	}
	if p := inside([]byte(`{"error":{"code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1796040001000"}}}}`)); p.HasRetryAfter {
		t.Errorf("a wait of %v since the year 1", p.RetryAfter)
	}
}

// Ensure a wait in whole milliseconds that was told as an instant comes back as it was, whenever
// it was told.
func TestResetComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon.Add(time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "now")))
		wait := time.Duration(rapid.Int64Range(0, 86_400_000).Draw(t, "ms")) * time.Millisecond
		told := now.Add(wait + time.Millisecond - 1).UnixMilli()
		got, ok := until(itoa(told), now)
		if !ok || got != wait {
			t.Fatalf("%v, %v, want %v", got, ok, wait)
		}
	})
}
