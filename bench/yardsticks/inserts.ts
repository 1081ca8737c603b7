import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** This process makes one INSERT for each text, with 50 under way. It tells how many it makes in a second. */
const [, , databaseUrl = '', rows = ''] = process.argv
const ROWS = Number(rows)
const IN_FLIGHT = 50

process.on('disconnect', () => process.exit())
const pool = new pg.Pool({ connectionString: databaseUrl, max: IN_FLIGHT })
await pool.query('drop table if exists inserts')
await pool.query(
  'create table inserts (id uuid primary key, from_number text, to_number text, text text, created_at timestamptz default now())',
)
// Connections are opened before, because they are not measured.
await Promise.all(Array.from({ length: IN_FLIGHT }, () => pool.query('select pg_sleep(0.1)')))

let count = 0
const startedAt = performance.now()
await Promise.all(
  Array.from({ length: IN_FLIGHT }, async () => {
    while (count < ROWS) {
      count += 1
      await pool.query('insert into inserts (id, from_number, to_number, text) values ($1, $2, $3, $4)', [
        randomUUID(),
        `+1500${String(count).padStart(7, '0')}`,
        '+15550000001',
        'Hello',
      ])
    }
  }),
)
process.send?.((ROWS / (performance.now() - startedAt)) * 1000)
