package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	rounds  = 3
	wrkSpan = "6s"
	cpuRate = 1000
	cpuSpan = 10 * time.Second
	lagRate = 5000
	lagSpan = 10 * time.Second
)

var wrkRate = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

// throughput measures the mock beside the bare handler, in turn.
func (b *bench) throughput() error {
	var rates [2][]float64
	for range rounds {
		for i, start := range []func() (string, func(), error){b.bareServer, b.mock} {
			addr, stop, err := start()
			if err != nil {
				return err
			}
			out, err := exec.Command("wrk", "-t2", "-c64", "-d"+wrkSpan, "-s", b.file("post.lua"), "http://"+addr+"/v1/chat/completions").CombinedOutput()
			stop()
			m := wrkRate.FindSubmatch(out)
			if err != nil || m == nil || strings.Contains(string(out), "Non-2xx") {
				return fmt.Errorf("wrk: %w\n%s", err, out)
			}
			rate, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	handler, mock := median(rates[0]), median(rates[1])
	fmt.Printf("requests/s under wrk -t2 -c64, median of %d\n  bare net/http JSON handler  %8.0f\n  simload mock                %8.0f   %.0f %% of it (goal: at least 80 %%)\n\n",
		rounds, handler, mock, mock/handler*100)
	return nil
}

func (b *bench) bareServer() (string, func(), error) {
	addr, err := freePort()
	if err != nil {
		return "", nil, err
	}
	stop, err := b.serve(b.self, "bare", addr)
	return addr, stop, err
}

// processor measures the client's processor time of a request, of simload and of vegeta, both
// against the mock.
func (b *bench) processor() error {
	addr, stop, err := b.mock()
	if err != nil {
		return err
	}
	defer stop()
	var ours, theirs []float64
	for range rounds {
		v := exec.Command(b.vegeta, "attack", "-rate", strconv.Itoa(cpuRate), "-duration", cpuSpan.String(), "-body", b.file("body.json"), "-output", os.DevNull,
			"-header", "Authorization: Bearer k-1", "-header", "Content-Type: application/json")
		v.Stdin = strings.NewReader("POST http://" + addr + "/v1/chat/completions\n")
		if out, err := v.CombinedOutput(); err != nil {
			return fmt.Errorf("vegeta: %w\n%s", err, out)
		}
		theirs = append(theirs, cost(v, cpuRate*cpuSpan.Seconds()))
		s, _, err := b.drive(addr, cpuRate, cpuSpan)
		if err != nil {
			return err
		}
		ours = append(ours, cost(s, cpuRate*cpuSpan.Seconds()))
	}
	o, t := median(ours), median(theirs)
	fmt.Printf("processor time of a request at %d/s, client alone, median of %d\n  vegeta attack               %8.1f µs\n  simload run, full stack     %8.1f µs   %.2f times it (goal: at most 1)\n\n", cpuRate, rounds, t, o, o/t)
	return nil
}

// cost is the processor time of a finished command over the requests it made, in µs.
func cost(c *exec.Cmd, requests float64) float64 {
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() * 1e6 / requests
}

// figures are what is read of a report.
type figures struct {
	Variants []struct {
		Totals  struct{ Requests, Succeeded int64 }
		Harness struct {
			P50 float64 `json:"lag_p50_ms"`
			P99 float64 `json:"lag_p99_ms"`
		}
	}
}

// drive runs the scenario against a server, at a rate, for a time.
func (b *bench) drive(addr string, rate int, span time.Duration) (*exec.Cmd, figures, error) {
	var f figures
	path := b.file("drive.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, scenario, span, rate), 0o600); err != nil {
		return nil, f, err
	}
	c := exec.Command(b.simload, "run", path, "--target", "http://"+addr+"/v1", "--format", "json", "--quiet")
	c.Env = append(os.Environ(), "SIMLOAD_API_KEY=k-1")
	c.Stderr = os.Stderr
	out, _ := c.Output() // an invalid run exits 3: its figures count all the same
	if err := json.Unmarshal(out, &f); err != nil || len(f.Variants) != 1 {
		return nil, f, fmt.Errorf("simload run: %w\n%.2000s", err, out)
	}
	if t := f.Variants[0].Totals; t.Succeeded < t.Requests*99/100 {
		return nil, f, fmt.Errorf("simload run: %d of %d requests succeeded", t.Succeeded, t.Requests)
	}
	return c, f, nil
}

// lag measures how late simload issues requests, beside a pacer that does nothing but sleep: alone on
// the machine, and while vegeta sends as many requests to the same server.
func (b *bench) lag() error {
	addr, stop, err := b.mock()
	if err != nil {
		return err
	}
	defer stop()
	var ours, alone, beside []float64
	for range rounds {
		p, err := b.pacer()
		if err != nil {
			return err
		}
		alone = append(alone, p)
		v := exec.Command(b.vegeta, "attack", "-rate", strconv.Itoa(lagRate), "-duration", (lagSpan + time.Second).String(), "-body", b.file("body.json"), "-output", os.DevNull,
			"-header", "Authorization: Bearer k-1", "-header", "Content-Type: application/json")
		v.Stdin = strings.NewReader("POST http://" + addr + "/v1/chat/completions\n")
		if err := v.Start(); err != nil {
			return err
		}
		p, err = b.pacer()
		if waited := v.Wait(); err != nil || waited != nil {
			return fmt.Errorf("pacer: %w, vegeta: %w", err, waited)
		}
		beside = append(beside, p)
		_, f, err := b.drive(addr, lagRate, lagSpan)
		if err != nil {
			return err
		}
		ours = append(ours, f.Variants[0].Harness.P99)
	}
	o, a, l := median(ours), median(alone), median(beside)
	fmt.Printf("schedule lag p99 at %d/s, median of %d\n  bare sleeping pacer, alone  %8.2f ms\n  the same beside vegeta      %8.2f ms\n  simload run, full stack     %8.2f ms   %.2f times the pacer alone, %.2f times it under the same load (goal: at most 1.2)\n",
		lagRate, rounds, a, l, o, o/a, o/l)
	return nil
}

// pacer runs the bare pacer in a process of its own and returns its p99, in ms.
func (b *bench) pacer() (float64, error) {
	out, err := exec.Command(b.self, "pacer").Output()
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return float64(ns) / 1e6, err
}

// pace sleeps until one instant after the other and returns the 99th percentile of how late it woke.
func pace(rate int, span time.Duration) time.Duration {
	n := int(span.Seconds() * float64(rate))
	late := make([]time.Duration, 0, n)
	start := time.Now()
	for i := range n {
		at := time.Duration(i) * time.Second / time.Duration(rate)
		if wait := at - time.Since(start); wait > 0 {
			time.Sleep(wait)
		}
		late = append(late, time.Since(start)-at)
	}
	slices.Sort(late)
	return late[n*99/100]
}
