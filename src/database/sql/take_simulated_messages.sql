-- The simulator's own memory of what it has taken. messages: [{carrierMessageId, messageId, fromNumber, toNumber, text,
-- mediaUrl}].
--
-- Its commit does not wait for the disk. What counts is the message's state, which is written after it, and the log of
-- Postgres keeps that order: what is `sent` for good is here for good.
create or replace function take_simulated_messages(messages jsonb) returns void
language plpgsql volatile as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into simulator_outbox (carrier_message_id, message_id, from_number, to_number, text, media_url)
  select x."carrierMessageId", x."messageId", x."fromNumber", x."toNumber", x.text, x."mediaUrl"
  from jsonb_to_recordset(messages) as x("carrierMessageId" uuid, "messageId" uuid, "fromNumber" text, "toNumber" text,
    text text, "mediaUrl" text);
end $$;
