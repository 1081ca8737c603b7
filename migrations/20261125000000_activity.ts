import type { Knex } from 'knex'

/**
 * What the activity's filters look for, and what is rare: media and voicemail, why deliveries fail, and events that are
 * only for who asked for them. All are partial: a text that goes through, and its event, write into none of them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index messages_media on messages (line_id, id) where type <> 'text';
    create index deliveries_failure on deliveries (line_id, last_failure, id) where last_failure is not null;
    create index deliveries_opt_in on deliveries (line_id, type, id)
      where type in ('messageStatus', 'optOut', 'lineDisconnected');
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index deliveries_opt_in, deliveries_failure, messages_media')
}
