-- Lowers a bound of `live_bounds` to a row that is below it, or would be after the next call of `raise_live_bounds`. If it would
-- not, nothing is changed or locked. Otherwise `raise_live_bounds` waits for the commit, and goes by what it finds then.
create or replace function lower_live_bound(parent text, row_id uuid) returns void language sql volatile as $$
  update live_bounds b set id = least(b.id, row_id), next_id = row_id where b.parent = $1 and b.next_id > row_id
$$;
