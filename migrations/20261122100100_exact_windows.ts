import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * The sending windows (contract §3) are judged where a message is claimed, over the rows: Redis only says who may ask
 * and when, so that nothing is sent beyond them whatever Redis has forgotten.
 *
 * A message counts from its claim until 60 s after the moment when it had certainly reached its carrier
 * (`handed_over_at`): the carrier sees it in between, so that in no 60 s does it see more than the limit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Made by who claims: a claim whose answer was lost can be given back all the same.
    alter table messages add column claim_id uuid, add column handed_over_at timestamptz, drop column claim_count;
    update messages set handed_over_at = coalesce(sent_at, claimed_at)
      where claimed_at > now() - interval '2 minutes' and status not in ('queued', 'sending');
    create index messages_handed_over on messages (line_id, handed_over_at) where handed_over_at is not null;

  `)
  await createFunctions(knex, ['window_length', 'claim_messages'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function claim_messages;
    drop function window_length;
    drop index messages_handed_over;
    alter table messages drop column handed_over_at, drop column claim_id, add column claim_count integer not null default 0;
  `)
}
