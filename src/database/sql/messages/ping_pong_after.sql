-- Whether two programs seem to answer each other: more messages in a minute than `ping_pong_limit`, and about as many
-- answers. Every inbound message opens the number's window again, so nothing else would stop them. A person who
-- writes this much gets fewer answers. (The 2 minutes are twice the window, because ids have the time of the process
-- that made them.)
--
-- Returns after how many more messages (at least one) this is the case; null if the line has not answered that much.
create or replace function ping_pong_after(line uuid, peer text, now_at timestamptz) returns integer
language plpgsql stable set enable_seqscan = off as $$
begin
  return (
    select case when count(*) filter (where direction = 'outbound') >= ping_pong_limit()
      then greatest(ping_pong_limit() + 1 - count(*) filter (where direction = 'inbound'), 1) end
    from (
      select m.direction, case m.direction when 'inbound' then m.created_at else coalesce(m.sent_at, m.claimed_at) end as at
      from messages m
      where m.line_id = line and (case m.direction when 'outbound' then m.to_number else m.from_number end) = peer
        and m.id >= lowest_id_at(now_at - interval '2 minutes')
        and m.status in ('received', 'sending', 'sent', 'delivered', 'unknown')
      order by m.id desc limit 200
    ) recent
    where at > now_at - limit_window()
  );
end $$;
