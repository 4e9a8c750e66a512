package workload

import "fmt"

// addGroups adds a source for each client of the stream's groups. First is the stream as one source.
func (w *Workload) addGroups(s *Stream, first *stream, c *course) error {
	sizes, shares, err := groupSizes(s)
	if err != nil {
		return fmt.Errorf("dealing clients to groups: %w", err)
	}
	dealt, err := dealSpikes(s, shares)
	if err != nil {
		return fmt.Errorf("dealing spikes to clients: %w", err)
	}
	k := 0
	for i, n := range sizes {
		g := &s.Mix.Groups[i]
		cv := g.CV
		if cv == 0 {
			cv = s.CV
		}
		for range n {
			one := newStream(s, w.Sources(), w.clients)
			one.clients, one.profile, one.sessions = 1, g.Profile, first.sessions.alike()
			one.byNumber = w.share.byNumber(s.Clients)
			one.flow = newFlow(c, s, cv, shares[k])
			one.flow.client = true
			for j := range one.flow.volleys {
				one.flow.volleys[j].deal(dealt[j][k])
			}
			w.streams = append(w.streams, one)
			w.clients++
			k++
		}
	}
	return nil
}

// groupSizes returns the clients of each group, and each client's share of the stream.
func groupSizes(s *Stream) (sizes []int64, shares []float64, err error) {
	groups := s.Mix.Groups
	weights, sum := make([]float64, len(groups)), 0.0
	for i := range groups {
		weights[i] = groups[i].Weight
		sum += groups[i].Share
	}
	if sizes, err = Split(int64(s.Clients), weights); err != nil {
		return nil, nil, err
	}
	for i, n := range sizes {
		for range n {
			shares = append(shares, groups[i].Share/sum/float64(n))
		}
	}
	return sizes, shares, nil
}

// dealSpikes returns each client's part of the requests at once of each spike.
func dealSpikes(s *Stream, shares []float64) ([][]int64, error) {
	if s.Curve == nil {
		return nil, nil
	}
	dealt := make([][]int64, len(s.Curve.Spikes))
	for i := range s.Curve.Spikes {
		var err error
		if dealt[i], err = Split(s.Curve.Spikes[i].Count, shares); err != nil {
			return nil, err
		}
	}
	return dealt, nil
}
