import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { format, resolveConfig } from 'prettier'
import { connectDatabase } from '../src/database/connection.js'
import { migrate } from '../src/database/migrations.js'
import { startPostgres } from './services/postgres.js'

export const SCHEMA_FILE = 'migrations/schema.sql'
export const ANSWERS_FILE = 'src/database/sql-answers.ts'

const HEAD = `-- The whole schema, as all migrations and the functions in src/database/sql make it: to be read, not to be run.
-- Made by \`npm run schema\`; a test compares it. Partitions, one a month, are left out.
`

/** Each query gives the texts of one part of the schema, in an order that does not change. */
const PARTS = [
  `select format('create sequence %I;', sequencename) as text from pg_sequences
   where schemaname = 'public' and sequencename not like 'knex%' order by 1`,
  `select format(E'create table %I (\\n  %s\\n)%s;', c.relname,
     string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
       || case when a.attnotnull then ' not null' else '' end
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), E',\\n  ' order by a.attnum),
     coalesce(' partition by ' || lower(pg_get_partkeydef(c.oid)), ''))
     || coalesce((select string_agg(format(E'\\nalter table %I add constraint %I %s;', c.relname, k.conname,
          pg_get_constraintdef(k.oid)), '' order by k.contype desc, k.conname)
        from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'), '')
     || coalesce((select string_agg(E'\\n' || replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') || ';', ''
          order by i.indexrelid::regclass::text)
        from pg_index i where i.indrelid = c.oid
          and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)), '') as text
   from pg_class c
   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname not like 'knex%'
   group by c.oid, c.relname order by c.relname`,
  `select pg_get_triggerdef(t.oid, true) || ';' as text from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and not c.relispartition order by 1`,
  `select pg_get_functiondef(oid) || ';' as text from pg_proc where pronamespace = 'public'::regnamespace order by proname`,
]

/** @param db a migrated database */
export async function describeSchema(db: Knex): Promise<string> {
  const texts: string[] = []
  for (const part of PARTS) {
    const { rows } = await db.raw<{ rows: { text: string }[] }>(part)
    texts.push(...rows.map(({ text }) => text.trim()))
  }
  return `${HEAD}\n${texts.join('\n\n')}\n`
}

const ANSWERS = `select p.proname as name,
    json_object_agg(a.name, format_type(a.type, null) order by a.n)::text as columns
  from pg_proc p cross join lateral unnest(p.proallargtypes, p.proargmodes, p.proargnames)
    with ordinality as a (type, mode, name, n)
  where p.pronamespace = 'public'::regnamespace and a.mode = 't'
  group by p.oid, p.proname order by p.proname`

/** Describes the columns of each function that returns a table, as TypeScript. */
export async function describeAnswers(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: { name: string; columns: string }[] }>(ANSWERS)
  const all = rows.map(({ name, columns }) => `${name}: ${columns}`).join(',\n')
  const text = `/** What the functions in src/database/sql answer. Made by \`npm run schema\`; a test compares it. */
    export const SQL_ANSWERS = {${all}} as const`
  return format(text, { ...(await resolveConfig(ANSWERS_FILE)), parser: 'typescript' })
}

/** `npm run schema` migrates a temporary database, and describes it. */
async function writeSchema(): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'linehook-schema-'))
  const postgres = await startPostgres({ dataFolder })
  try {
    const db = connectDatabase({ url: postgres.url, poolSize: 2, applicationName: 'schema' })
    await migrate(db)
    writeFileSync(SCHEMA_FILE, await describeSchema(db))
    writeFileSync(ANSWERS_FILE, await describeAnswers(db))
    await db.destroy()
  } finally {
    await postgres.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeSchema()
