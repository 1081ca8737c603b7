-- Moves the places that a member has in windows to a later moment. A member that must wait for another window until then
-- keeps its places here, and others find them taken.
--
-- KEYS  log 1, log 2, …
-- ARGV  member, now in ms ('' is the clock of Redis), ms until the moment, then the limit and the length in ms of each window

local member = ARGV[1]
local now = now_or_clock(ARGV[2])
local moment = now + tonumber(ARGV[3])

for w = 1, #KEYS do
  local log, limit, length = KEYS[w], tonumber(ARGV[2 + 2 * w]), tonumber(ARGV[3 + 2 * w])
  -- A window that was cleared meanwhile stays cleared.
  local nth = 1
  while redis.call('ZSCORE', log, name_of(member, nth)) do
    redis.call('ZADD', log, moment + offset_of(nth, limit, length), name_of(member, nth))
    nth = nth + 1
  end
  keep_after_last(log, now, length)
end
return 0
