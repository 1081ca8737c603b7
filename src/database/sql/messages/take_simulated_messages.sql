-- Stores the messages that the simulator has accepted. messages: [{carrierMessageId, messageId, fromNumber, toNumber,
-- text, mediaUrls}].
--
-- Its commit does not wait for the disk. What counts is the message's state, which is written later, and Postgres's log
-- keeps that order: if `sent` is on disk, then so is this.
create or replace function take_simulated_messages(messages jsonb) returns void
language plpgsql volatile as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into simulator_outbox (carrier_message_id, message_id, from_number, to_number, text, media_urls)
  select x."carrierMessageId", x."messageId", x."fromNumber", x."toNumber", x.text, array(select jsonb_array_elements_text(x."mediaUrls"))
  from jsonb_to_recordset(messages) as x("carrierMessageId" uuid, "messageId" uuid, "fromNumber" text, "toNumber" text,
    text text, "mediaUrls" jsonb);
end $$;
