package nibomo

import (
	"context"
	"encoding/json"

	"bridge/internal/sandbox/nibomo/dialect"
	"bridge/internal/sandbox/rpc"
)

// writeResult is one statement of sql_execute.
type writeResult struct {
	Kind     string            `json:"statementType"`
	Resource string            `json:"resource"`
	Rows     []json.RawMessage `json:"rows"`
	Affected int               `json:"affectedCount"`
}

type singleWrite struct {
	writeResult
	NoRows    bool   `json:"rowsOmitted"`
	NoSQL     bool   `json:"sqlOmitted"`
	SQL       string `json:"sql"`
	Normal    string `json:"normalizedSql"`
	Workspace string `json:"workspaceId"`
}

func (s *Service) sqlExecute(ctx context.Context, conn Connection, a arguments) (json.RawMessage, string, error) {
	ws, id, err := s.resolve(ctx, conn, a.workspaceID)
	if err != nil {
		return nil, "", err
	}
	list, parts, err := parseBatch(a.sql)
	if err != nil {
		return nil, "", err
	}
	for _, st := range list {
		if st.Reads() {
			return nil, "", sqlFault(codeSQL, "sql_execute is write-only and accepts only INSERT, UPDATE, and DELETE statements. Use sql_query for SHOW TABLES, DESCRIBE, SHOW COLUMNS, and SELECT.")
		}
	}
	for _, st := range list {
		if err := s.prepare(ctx, ws, st); err != nil {
			return nil, "", err
		}
	}
	var results []writeResult
	total := 0
	err = s.exclusive(ctx, func(t *tx) error {
		if err := t.in(ctx, ws); err != nil {
			return err
		}
		for i, st := range list {
			res, err := t.write(ctx, st)
			if err != nil {
				if len(list) > 1 {
					err = inBatch(err, i+1, parts[i].Text())
				}
				return err
			}
			results = append(results, res)
			total += res.Affected
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if len(list) == 1 {
		data, say := s.fitWrite(singleWrite{results[0], false, false, a.sql, list[0].Normalized(), id})
		return data, say, nil
	}
	data, say := s.fitBatch(batchResult{Kind: "batch", SQL: a.sql, Normal: normalized(list),
		Count: len(list), Affected: &total, Workspace: id}, results)
	return data, say, nil
}

// prepare has in memory by the time of writing what WHERE is to search there.
func (s *Service) prepare(ctx context.Context, ws int64, st dialect.Statement) error {
	var r *dialect.Resource
	switch st := st.(type) {
	case *dialect.Update:
		r = st.Resource
	case *dialect.Delete:
		r = st.Resource
	default:
		return nil
	}
	_, err := s.withTable(ctx, ws, r, func(*dialect.Table) {})
	return err
}

const (
	sayWritten = "The change is saved. data.affectedCount is the number of rows. Without RETURNING, INSERT and UPDATE give identifiers only and DELETE gives no rows."
	sayBatch   = "All statements are saved, in one transaction. data.statements holds one result a statement."
	sayNoRows  = " The rows were left out because the result was too large; the change itself is saved, so do not repeat it. Read the rows back with sql_query if they are needed."
	sayNoSQL   = " The SQL was left out for the same reason."
)

// fitWrite drops rows, then the echo of the SQL, until the budget holds: what is
// committed cannot be refused for the size of its answer.
func (s *Service) fitWrite(res singleWrite) (json.RawMessage, string) {
	data, say := rpc.Marshal(res), sayWritten
	if tooLarge(s.envelope(data, say)) != nil && len(res.Rows) > 0 {
		res.Rows, res.NoRows = []json.RawMessage{}, true
		say += sayNoRows
		data = rpc.Marshal(res)
	}
	if tooLarge(s.envelope(data, say)) != nil {
		res.SQL, res.Normal, res.NoSQL = "", "", true
		say += sayNoSQL
		data = rpc.Marshal(res)
	}
	return data, say
}

func (s *Service) fitBatch(res batchResult, results []writeResult) (json.RawMessage, string) {
	fill := func() json.RawMessage {
		res.Statements = nil
		for _, r := range results {
			if res.NoRows {
				r.Rows = []json.RawMessage{}
			}
			res.Statements = append(res.Statements, r)
		}
		return rpc.Marshal(res)
	}
	rows := 0
	for _, r := range results {
		rows += len(r.Rows)
	}
	data, say := fill(), sayBatch
	if tooLarge(s.envelope(data, say)) != nil && rows > 0 {
		res.NoRows = true
		say += sayNoRows
		data = fill()
	}
	if tooLarge(s.envelope(data, say)) != nil {
		res.SQL, res.Normal, res.NoSQL = "", "", true
		say += sayNoSQL
		data = fill()
	}
	return data, say
}
