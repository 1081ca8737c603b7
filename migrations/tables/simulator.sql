-- What the simulator carrier has accepted. It stores this itself, as a real carrier does.
create table simulator_outbox (
  carrier_message_id uuid primary key,
  message_id uuid not null,
  from_number text not null,
  to_number text not null,
  text text,
  media_urls text[] not null default '{}',
  taken_at timestamptz not null default clock_timestamp(),
  receipt_sent_at timestamptz
);
create index simulator_outbox_number on simulator_outbox (to_number, carrier_message_id);
create index simulator_outbox_receipts on simulator_outbox (carrier_message_id) where receipt_sent_at is null;
