import type { Knex } from 'knex'

/**
 * What SMSCs have brought. A deliver_sm has no id: one that comes again, because its answer was lost with the
 * connection, is told by what is in it. Only until the SMSC has certainly read the answer, because from then on the
 * same words are another message; a row is deleted at that moment.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table smpp_inbound (
      -- Of the arrival.
      id uuid primary key,
      -- Of the account and of all that the SMSC said but the sequence number.
      digest bytea not null,
      -- The one that it came by last.
      session_id uuid not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index smpp_inbound_digest on smpp_inbound (digest);
    create index smpp_inbound_created on smpp_inbound (created_at);

    -- The arrival that this one repeats, or its own id, which is then new: under a lock, for both may arrive at once.
    -- Another session's arrival is repeated if that session is over, or silent for longer than an SMSC waits; who
    -- says the same again on one session says it twice.
    create function take_smpp_inbound(
      new_id uuid, new_digest bytea, new_session_id uuid, open_session_ids uuid[], silent_ms integer, forgotten_ms integer
    ) returns uuid language plpgsql volatile as $$
    declare
      earlier_id uuid;
    begin
      perform pg_advisory_xact_lock(('x' || encode(substr(new_digest, 1, 8), 'hex'))::bit(64)::bigint);
      update smpp_inbound set session_id = new_session_id where id = (
        select id from smpp_inbound
        where digest = new_digest
          and created_at > clock_timestamp() - forgotten_ms * interval '1 ms'
          and (id = new_id
            or session_id <> all (open_session_ids)
            or (session_id <> new_session_id and created_at < clock_timestamp() - silent_ms * interval '1 ms'))
        order by id limit 1
      ) returning id into earlier_id;
      if earlier_id is not null then return earlier_id; end if;
      insert into smpp_inbound (id, digest, session_id) values (new_id, new_digest, new_session_id);
      return null;
    end $$;

    -- Parts of long texts, until all are there or no more come.
    create table smpp_parts (
      -- Of the arrival.
      id uuid primary key,
      carrier text not null,
      from_number text not null,
      to_number text not null,
      reference integer not null,
      total integer not null,
      number integer not null,
      -- UTF-16: a character may be cut in two.
      text bytea not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index smpp_parts_message on smpp_parts (carrier, from_number, to_number, reference, total);
    create index smpp_parts_created on smpp_parts (created_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table smpp_parts;
    drop function take_smpp_inbound;
    drop table smpp_inbound;
  `)
}
