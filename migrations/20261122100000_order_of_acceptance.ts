import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * Messages to one number are sent in the order in which they were accepted. That order is given by the transaction
 * that accepts, under the line's lock; ids come from the clocks of web processes, which differ.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create sequence message_positions;
    -- Only what is not over has a use for it.
    alter table messages add column position bigint not null default 0;
    update messages m set position = o.position
      from (select id, row_number() over (order by id) as position from messages where status in ('queued', 'sending')) o
      where m.id = o.id;
    select setval('message_positions', (select max(position) + 1 from messages));
    alter table messages alter column position set default nextval('message_positions');

    drop index messages_unfinished;
    create index messages_unfinished on messages (line_id, to_number, position) where status in ('queued', 'sending');

  `)
  await createFunctions(knex, ['lock_line'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function lock_line;
    drop index messages_unfinished;
    create index messages_unfinished on messages (line_id, to_number, id) where status in ('queued', 'sending');
    alter table messages drop column position;
    drop sequence message_positions;
  `)
}
