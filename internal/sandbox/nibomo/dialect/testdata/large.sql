# Statements that are measured on a collection of 100,000 cards and 90,000 reviews:
# one of each kind, and the heaviest of each kind that came to mind. One a line.

# Paging, without and with an order.
SELECT COUNT(*) FROM cards
SELECT * FROM cards LIMIT 100
SELECT card_id, front_text FROM cards LIMIT 100 OFFSET 99000
SELECT card_id, front_text FROM cards ORDER BY front_text LIMIT 100 OFFSET 50000
SELECT card_id, reps FROM cards ORDER BY lapses DESC, reps, back_text DESC
SELECT card_id FROM cards ORDER BY card_type, tags DESC, reps, lapses DESC, due_at, updated_at DESC, back_text, front_text DESC, created_at, card_id LIMIT 100 OFFSET 50000
SELECT card_id, front_text FROM cards ORDER BY RANDOM() LIMIT 100
SELECT tag, card_id FROM cards UNNEST tags AS tag ORDER BY tag DESC, back_text, front_text DESC, card_id LIMIT 100 OFFSET 100000

# LIKE, with few and many to find, and with nothing that could be looked for at once.
SELECT card_id, front_text FROM cards WHERE front_text LIKE '%zeta alpha%'
SELECT card_id, front_text FROM cards WHERE back_text LIKE '%a%e%i%o%u%a%e%i%o%u%a_e%'
SELECT card_id, front_text FROM cards WHERE back_text NOT LIKE '%_a_%_e_%_p%_s_%_a_q%'
SELECT card_id, front_text FROM cards WHERE back_text ILIKE '%ÉPSILON mu%' AND reps > 3
SELECT card_id, front_text FROM cards WHERE LOWER(back_text) NOT LIKE '%omega%'
SELECT card_id, front_text FROM cards WHERE LOWER(card_id) LIKE '%a_c%' OR due_at ILIKE '%t1_:%z' OR created_at NOT LIKE '2026%'
SELECT card_id, front_text FROM cards WHERE back_text LIKE '%a\n%'

# MATCH looks into all columns: found often, seldom, never, and digits, which are everywhere.
SELECT card_id, front_text FROM cards WHERE MATCH('omega psi')
SELECT card_id, front_text FROM cards WHERE MATCH('a') ORDER BY due_at
SELECT card_id, front_text FROM cards WHERE MATCH('not there at all')
SELECT card_id, front_text FROM cards WHERE MATCH('ta ta ta ta ta')
SELECT card_id, front_text FROM cards WHERE MATCH('00000000')
SELECT card_id, front_text FROM cards WHERE MATCH('1-1') ORDER BY back_text
SELECT card_id FROM cards WHERE MATCH('nothing') OR MATCH('neither') OR MATCH('nor this') OR MATCH('nor that') ORDER BY back_text

# Which of twenty words are there already?
SELECT card_id, front_text FROM cards WHERE front_text ILIKE '%perro%' OR MATCH('gato') OR front_text ILIKE '%casa%' OR MATCH('rojo') OR front_text ILIKE '%verde%' OR MATCH('azul') OR front_text ILIKE '%blanco%' OR MATCH('negro') OR front_text ILIKE '%mesa%' OR MATCH('silla') OR front_text ILIKE '%puerta%' OR MATCH('ventana') OR front_text ILIKE '%coche%' OR MATCH('tren') OR front_text ILIKE '%barco%' OR MATCH('cielo') OR front_text ILIKE '%tierra%' OR MATCH('fuego') OR front_text ILIKE '%agua%' OR MATCH('aire')

# Comparisons, lists and tags.
SELECT card_id, front_text FROM cards WHERE tags OVERLAP ('beta', 'set-5') AND due_at <= NOW()
SELECT card_id, front_text FROM cards WHERE tags = ('beta', 'set-1')
SELECT card_id FROM cards WHERE (reps > '3' OR lapses < 2.5) AND (front_text >= 'm' OR back_text < 'c' OR due_at > '2026-11-20') AND LOWER(front_text) NOT IN ('a', 'b') AND card_id NOT LIKE '%x' ORDER BY updated_at DESC, back_text
SELECT card_id FROM cards WHERE LOWER(back_text) NOT IN ('alpha', 'beta') AND LOWER(due_at) NOT IN ('x') AND card_id IN ('a', 'b', NULL)
SELECT tag, card_id FROM cards UNNEST tags AS tag WHERE (tag NOT LIKE '%x_%' OR MATCH('omega psi')) AND (tag > 'c' OR back_text ILIKE '%MU NU%') ORDER BY front_text, tag

# Groups and aggregates, of few groups and of one a row.
SELECT tag, COUNT(*), MIN(front_text), MAX(due_at) FROM cards UNNEST tags AS tag GROUP BY tag ORDER BY count DESC, tag
SELECT fsrs_card_state, COUNT(*), SUM(reps), AVG(fsrs_stability) FROM cards GROUP BY fsrs_card_state
SELECT MIN(front_text), MAX(back_text), MIN(created_at), AVG(lapses) FROM cards
SELECT front_text, COUNT(*) AS n FROM cards GROUP BY front_text ORDER BY n DESC, front_text LIMIT 10
SELECT card_id, back_text, COUNT(*) FROM cards GROUP BY card_id, back_text ORDER BY back_text DESC LIMIT 10 OFFSET 60000
SELECT reps, lapses, tags, fsrs_stability, fsrs_difficulty, fsrs_last_reviewed_at, back_text, COUNT(*) AS n, MIN(front_text) AS f, SUM(fsrs_stability) AS s, AVG(reps) AS a FROM cards GROUP BY reps, lapses, tags, fsrs_stability, fsrs_difficulty, fsrs_last_reviewed_at, back_text ORDER BY s DESC, a, f DESC, n, back_text
SELECT tag, card_id, COUNT(*) AS n, MIN(front_text) AS f, MAX(front_text), MIN(back_text) AS b, MAX(back_text), MIN(due_at), MAX(due_at) AS d, MIN(created_at), MAX(updated_at), SUM(reps), AVG(reps), SUM(lapses), AVG(fsrs_stability) AS s, SUM(fsrs_difficulty), MIN(tag), MAX(card_type) FROM cards UNNEST tags AS tag WHERE created_at IS NOT NULL GROUP BY tag, card_id ORDER BY s DESC, n, f, b DESC, d, tag LIMIT 100 OFFSET 100000

# Reviews.
SELECT rating, COUNT(*) FROM review_events GROUP BY rating
SELECT * FROM review_events ORDER BY reviewed_at_client DESC, rating LIMIT 50
SELECT review_event_id FROM review_events WHERE client_event_id = 'agent-review:x'
SELECT client_event_id, card_id, MAX(reviewed_at_server) AS m FROM review_events WHERE MATCH('a') GROUP BY client_event_id, card_id ORDER BY m, card_id DESC LIMIT 100 OFFSET 40000
SELECT * FROM workspace
SHOW TABLES
