-- Stores the messages that the simulator has accepted. messages: [{carrierMessageId, messageId, fromNumber, toNumber,
-- text, mediaUrls}].
--
-- Its commit waits for the disk, as a carrier's would: the worker may note `sent` only after Postgres has crashed and
-- recovered, and the text must still be there.
create or replace function take_simulated_messages(messages jsonb) returns void
language plpgsql volatile as $$
begin
  insert into simulator_outbox (carrier_message_id, message_id, from_number, to_number, text, media_urls)
  select x."carrierMessageId", x."messageId", x."fromNumber", x."toNumber", x.text, array(select jsonb_array_elements_text(x."mediaUrls"))
  from jsonb_to_recordset(messages) as x("carrierMessageId" uuid, "messageId" uuid, "fromNumber" text, "toNumber" text,
    text text, "mediaUrls" jsonb);
end $$;
