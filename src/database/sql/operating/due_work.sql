-- What `maintenance` has to do now, by name. It is called every second in place of a dozen statements that find
-- nothing most of the time. It may name something that turns out to be nothing, but leaves nothing out. overdue: how
-- long a row is left to its job. max_lost: a delivery whose worker was lost this often is a suspect. looks_into_lanes:
-- whether idle lanes are looked for, which costs time for each endpoint with deliveries that wait, also for a retry.
--
-- Every time has a lower and an upper bound. With only one of them, Postgres expects the bound on ids to leave as few rows, and
-- may read an index by line from end to end (measured: 39 instead of 0.5 ms with 30,000 messages that wait for tomorrow).
create or replace function due_work(overdue interval, max_lost integer, looks_into_lanes boolean) returns text[]
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  now_at timestamptz := clock_timestamp();
  live_message uuid := live_from('messages');
  live_delivery uuid := live_from('deliveries');
begin
  return array_remove(array[
    case when exists (select from messages m where m.id >= live_message and m.status = 'sending' and m.lease_until between '-infinity' and now_at)
      then 'expired messages' end,
    case when exists (select from deliveries d where d.id >= live_delivery and d.status = 'delivering' and d.lease_until between '-infinity' and now_at)
      then 'expired deliveries' end,
    case when exists (select from media x where x.status = 'fetching' and x.lease_until < now_at)
      then 'expired media' end,
    case when exists (select from messages m where m.id >= live_message and m.status = 'queued' and m.due_at between '-infinity' and now_at - overdue)
      then 'stranded messages' end,
    case when looks_into_lanes and exists (select from idle_lanes(overdue, max_lost, 1)) then 'idle lanes' end,
    case when exists (select from media x where x.status = 'pending' and x.due_at < now_at - overdue)
      then 'stranded media' end,
    case when exists (select from tasks t where t.status in ('waiting', 'running') and t.due_at < now_at - overdue)
      then 'stranded tasks' end,
    -- Carriers are asked for an hour (domain/messages/reconcile.ts).
    case when exists (select from messages m where m.id >= live_message and m.status = 'unknown' and m.claimed_at between now_at - interval '1 hour' and 'infinity')
      then 'unknown messages' end,
    case when exists (
        select from messages m where m.id >= live_message and m.expires_at between '-infinity' and now_at and m.status in ('queued', 'scheduled'))
      or exists (select from messages m where m.id >= live_message and m.status = 'scheduled' and m.send_at is not null and m.due_at between '-infinity' and now_at)
      then 'scheduled messages' end,
    case when exists (select from all_sending where resumed_at is not null)
      or exists (select from carrier_accounts where resumed_at is not null)
      or exists (select from lines where resumed_at is not null)
      then 'resumptions' end,
    case when exists (select from lines where disabled_at is not null) then 'disabled lines' end,
    -- Their messages are woken for six minutes (domain/messages/send/recovery.ts).
    case when exists (
        select from carrier_accounts where recovered_at > now_at - interval '6 minutes' and avoided_count = 0)
      then 'recovered accounts' end,
    case when exists (select from simulator_outbox where receipt_sent_at is null) then 'simulated receipts' end,
    case when exists (select from dispatches where status = 'waiting' and due_at <= now_at) then 'mails' end
  ], null);
end $$;
