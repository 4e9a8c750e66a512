package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ReadClients reads the clients of one model from a table in the form of ServeGen's
// (Alibaba, 2025): CSV with a header that names the columns model, client_id, mean_rps
// and cv_rate_weighted, in any order among others; gzip is unpacked. It returns a group
// of one client for each, with its rate as its share, and the sum of the rates in
// requests per second: a stream of that Rate with Clients = len(groups) has the load of
// the table. All groups get the profile.
//
// A client without requests sends nothing and is left out. A CV beyond what [Gamma]
// takes is held at the bound. Any other value that is not a number from 0 on is an
// error with the line, and so is a model without clients.
func ReadClients(r io.Reader, model string, profile int) (groups []ClientGroup, rate float64, err error) {
	rows, err := openTable(r)
	if err != nil {
		return nil, 0, fmt.Errorf("reading clients: %w", err)
	}
	columns, err := tableColumns(rows, "model", "client_id", "mean_rps", "cv_rate_weighted")
	if err != nil {
		return nil, 0, fmt.Errorf("reading clients: %w", err)
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, fmt.Errorf("reading clients: %w", err)
		}
		if row[columns[0]] != model {
			continue
		}
		g, err := clientRow(row, columns)
		if err != nil {
			line, _ := rows.FieldPos(0)
			return nil, 0, fmt.Errorf("reading clients: line %d: %w", line, err)
		}
		if g.Share > 0 {
			g.Profile = profile
			groups = append(groups, g)
			rate += g.Share
		}
	}
	if len(groups) == 0 {
		return nil, 0, fmt.Errorf("reading clients: model %q has no client with requests", model)
	}
	return groups, rate, nil
}

func openTable(r io.Reader) (*csv.Reader, error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return csv.NewReader(in), nil
	}
	gz, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	return csv.NewReader(gz), nil
}

// tableColumns reads the header and returns where the named columns are.
func tableColumns(rows *csv.Reader, names ...string) ([]int, error) {
	header, err := rows.Read()
	if err == io.EOF {
		return nil, errors.New("the file is empty, a header is expected")
	}
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = slices.Index(header, name); columns[i] < 0 {
			return nil, fmt.Errorf("column %s is missing in the header", name)
		}
	}
	return columns, nil
}

func clientRow(row []string, columns []int) (ClientGroup, error) {
	g := ClientGroup{Name: row[columns[1]], Weight: 1}
	rate, err := strconv.ParseFloat(row[columns[2]], 64)
	if err == nil {
		err = checkNumber("value", rate)
	}
	if err != nil {
		return g, fmt.Errorf("mean_rps of client %s: %w", g.Name, err)
	}
	g.Share = rate
	if rate == 0 {
		return g, nil
	}
	cv, err := strconv.ParseFloat(row[columns[3]], 64)
	if err == nil {
		err = checkNumber("value", cv)
	}
	if err != nil {
		return g, fmt.Errorf("cv_rate_weighted of client %s: %w", g.Name, err)
	}
	g.CV = min(max(cv, minCV), maxCV)
	return g, nil
}
