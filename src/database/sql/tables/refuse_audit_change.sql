-- The trigger that keeps `audit_log` append-only.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only, so % is refused', lower(tg_op)
    using errcode = 'insufficient_privilege', hint = 'To forget a month, drop its partition.';
end $$;
