-- Whether a line that was seen disabled still is. Then nobody enables it until the transaction ends: what the transaction holds
-- because of the line is there when the line's held events are released (`releaseDeliveriesOfLine`). It is volatile, so it
-- sees more than the statement that calls it.
create or replace function stays_disabled(line uuid) returns boolean
language plpgsql volatile set enable_seqscan = off as $$
begin
  return (select l.status = 'disabled' from lines l where l.id = line for share);
end $$;
