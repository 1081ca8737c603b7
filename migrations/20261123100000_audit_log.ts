import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * Who did what to what. Rows are only ever added: triggers refuse everything else, also to the role that owns the table.
 * A month is a partition, and to drop it is the one way to forget. No foreign keys: what a row tells of may be gone.
 */
export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, ['refuse_audit_change', 'ensure_partitions'])
  await knex.raw(`
    create table audit_log (
      id uuid primary key,
      at timestamptz not null default clock_timestamp(),
      actor_kind text not null,
      -- The user who did it, or for whom an application did.
      actor_id uuid,
      -- The session, the API token or the application by which it came.
      credential_id uuid,
      -- From where: an IP address; of the command line, the account of the operating system and its machine.
      address text,
      action text not null,
      subject_id uuid,
      -- Whose data it is; null: nobody's in particular.
      user_id uuid,
      before jsonb,
      after jsonb
    ) partition by range (id);
    create index audit_log_user on audit_log (user_id, id);
    create index audit_log_actor on audit_log (actor_id, id);
    create index audit_log_subject on audit_log (subject_id, id);
    create index audit_log_action on audit_log (action, id);

    create trigger audit_log_rows_stay before update or delete on audit_log
      for each row execute function refuse_audit_change();
    create trigger audit_log_stays before truncate on audit_log
      for each statement execute function refuse_audit_change();

    create table audit_log_default partition of audit_log default;
    -- Postgres copies triggers for rows to partitions, and no others; ensure_partitions does so for its own.
    create trigger audit_log_stays before truncate on audit_log_default
      for each statement execute function refuse_audit_change();
    select ensure_partitions('audit_log', current_date, 3);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table audit_log; drop function refuse_audit_change')
}
