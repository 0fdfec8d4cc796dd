package nibomo

import (
	"context"
	"slices"
	"sync"

	"bridge/internal/sandbox/nibomo/dialect"
)

// batch is how many rows go from the database to a table at a time.
const batch = 256

// fill reads all rows of a workspace's resource into a table. One goroutine reads
// while the other puts away: each takes about half of the time.
func fill(ctx context.Context, q querier, ws int64, table *dialect.Table, r *dialect.Resource) error {
	full, empty := make(chan [][]any, 4), make(chan [][]any, 4)
	for range cap(empty) {
		rows := make([][]any, batch)
		for i := range rows {
			rows[i] = make([]any, len(r.Columns))
		}
		empty <- rows
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for rows := range full {
			for _, row := range rows {
				decode(r, row)
				table.Append(row)
			}
			empty <- rows[:batch]
		}
	})
	defer wg.Wait()
	defer close(full)
	rows := <-empty
	n := 0
	err := eachRow(ctx, q, r, r.All(ws), func(row []any) {
		copy(rows[n], row)
		if n++; n == batch {
			full <- rows
			rows, n = <-empty, 0
		}
	})
	full <- rows[:n]
	return err
}

// eachRow runs a query that selects all columns of r in their order. f does not
// keep what it is given.
func eachRow(ctx context.Context, q querier, r *dialect.Resource, query dialect.Query, f func([]any)) error {
	rows, err := q.QueryContext(ctx, query.SQL, query.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]any, len(r.Columns))
	into := make([]any, len(row))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		f(row)
	}
	return rows.Err()
}

// decode turns what SQLite gave into values of the dialect.
func decode(r *dialect.Resource, row []any) {
	for i := range row {
		row[i] = dialect.Output{Type: r.Columns[i].Type}.Decode(row[i])
	}
}

// readRows runs a query that selects all columns of r in their order.
func readRows(ctx context.Context, q querier, r *dialect.Resource, query dialect.Query) ([]*dialect.Row, error) {
	var out []*dialect.Row
	err := eachRow(ctx, q, r, query, func(row []any) {
		row = slices.Clone(row)
		decode(r, row)
		out = append(out, dialect.NewRow(row))
	})
	return out, err
}
