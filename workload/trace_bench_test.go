package workload

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkTrace measures the replay of a row of each format, reading included.
func BenchmarkTrace(b *testing.B) {
	var events, blocks strings.Builder
	for i := range 200_000 {
		at := fmt.Sprintf("%d.%09d", i/100, i*7919%1_000_000)
		events.WriteString(strings.Replace(eventLine, "1.000000000", at, 1))
		fmt.Fprintf(&blocks, `{"timestamp": %d, "input_length": 6758, "output_length": 500, "hash_ids": [0, %d, %d, %d]}`+"\n", i, i, i+1, i+2)
	}
	var table strings.Builder
	if _, err := io.Copy(&table, newBurst(200_000)); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"burstgpt": table.String(), "events": events.String(), "mooncake": blocks.String()} {
		b.Run(name, func(b *testing.B) {
			set := textTrace(text)
			set.Loop, set.CacheBlocks = -1, 10_000
			cfg := benchConfig(1)
			cfg.Agents, cfg.Traces, cfg.Duration = nil, []Trace{set}, 1<<62
			w := open(b, cfg)
			b.ReportAllocs()
			b.SetBytes(int64(len(text) / 200_000))
			for b.Loop() {
				if _, ok := w.Next(0); !ok {
					b.Fatal(w.Err())
				}
			}
		})
	}
}
