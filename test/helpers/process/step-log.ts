import type { Database } from '../../../src/database/connection.js'
import { DELIVERY_STEPS, MEDIA_STEPS, MESSAGE_STEPS, type Step } from '../../../src/states.js'

const NOUNS = [
  { table: 'messages', reason: 'error', steps: MESSAGE_STEPS },
  { table: 'deliveries', reason: 'last_failure', steps: DELIVERY_STEPS },
  { table: 'media', reason: 'failure', steps: MEDIA_STEPS },
] as const

const FAMILIES = {
  media: 'media_[a-z0-9_]+',
  request: '(http_[0-9]{3}|[a-z_]+)',
  carrier: '.*',
}

/**
 * Has Postgres write down every step that a row takes from now on, and whether `src/states.ts` has it. It does not
 * refuse the others: whatever catches errors would hide them.
 */
export async function logSteps(db: Database): Promise<void> {
  await db.raw('create table steps_taken (noun text, step text, reason text, is_known boolean)')
  for (const { table, reason, steps } of NOUNS) {
    const known = steps.map((step) => `'${patternOf(step)}'`).join(', ')
    await db.raw(
      `create function log_step_of_${table}() returns trigger language plpgsql as $$
       declare
         before text := 'new';
         earlier text;
         reason text := new.${reason};
       begin
         if tg_op = 'UPDATE' then before := old.status; earlier := old.${reason}; end if;
         if reason is not distinct from earlier then reason := null; end if;
         if before = new.status and reason is null then return null; end if;
         insert into steps_taken values ('${table}', before || ' > ' || new.status, reason, exists (
           select from unnest(array[${known}]) p
           where before || ' > ' || new.status || coalesce(' ' || reason, '') ~ p));
         return null;
       end $$`.replaceAll('?', '\\?'),
    )
    await db.raw(
      `create trigger log_step after insert or update on ${table} for each row execute function log_step_of_${table}()`,
    )
  }
}

/** All that was taken, each once: `messages: queued > failed (expired)`. */
export async function takenSteps(db: Database, { isKnown }: { isKnown: boolean }): Promise<string[]> {
  const rows = await db('steps_taken')
    .where({ is_known: isKnown })
    .distinct<{ noun: string; step: string; reason: string | null }[]>('noun', 'step', 'reason')
  return rows
    .map(({ noun, step, reason }) => `${noun}: ${step}${reason === null ? '' : ` (${reason})`}`)
    .sort()
}

function patternOf({ from, to, reasons = [], family }: Step): string {
  const names = family === undefined ? reasons : [...reasons, FAMILIES[family]]
  return `^${from} > ${to}${names.length === 0 ? '' : `( (${names.join('|')}))?`}$`
}
