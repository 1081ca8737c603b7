import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

const STATUSES = ['queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'received']

/**
 * A message that is to be sent later is `scheduled` until then, a state of its own. So nothing that looks at the queue sees
 * it, and it is in no index of the queue. `send_at` is null unless it was accepted for later.
 *
 * The new indexes are partial: who uses none of this writes into none of them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages
      add column send_at timestamptz,
      add column expires_at timestamptz,
      add column client_ref text;
    alter table messages drop constraint messages_status_check;
    -- Every row fits, since the list only grows. The next migration looks, without keeping anybody waiting.
    alter table messages add constraint messages_status_check
      check (status in (${listOf([...STATUSES, 'scheduled'])})) not valid;
    -- With this condition, which is always true, no list of a line's messages is read by walking what is due in all.
    create index messages_scheduled on messages (due_at) where status = 'scheduled' and send_at is not null;
    create index messages_scheduled_line on messages (line_id, id) where status = 'scheduled';
    create index messages_expiring on messages (expires_at)
      where expires_at is not null and status in ('queued', 'scheduled');
    create index messages_client_ref on messages (client_ref, line_id, id) where client_ref is not null;
  `)
  await createFunctions(knex, ['max_scheduled_per_line', 'count_scheduled', 'release_scheduled'])
}

/** The release before does not know the state: what is scheduled fails, and its owner may send it again. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update messages set status = 'failed', error = 'expired' where status = 'scheduled';
    drop function if exists release_scheduled, count_scheduled, max_scheduled_per_line;
    alter table messages drop constraint messages_status_check;
    alter table messages add constraint messages_status_check check (status in (${listOf(STATUSES)}));
    drop index messages_client_ref, messages_expiring, messages_scheduled_line, messages_scheduled;
    alter table messages drop column client_ref, drop column expires_at, drop column send_at;
  `)
}

function listOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}
