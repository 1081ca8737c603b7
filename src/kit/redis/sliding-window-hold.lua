-- Moves the places that a member has in windows to a later moment. A member that must wait for another window until then
-- keeps its places here, and others find them taken.
--
-- KEYS  log 1, log 2, …
-- ARGV  member, now in ms ('' is the clock of Redis), ms until the moment, then the length of each window in ms

local member = ARGV[1]
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local moment = now + tonumber(ARGV[3])

for w = 1, #KEYS do
  local log, length = KEYS[w], tonumber(ARGV[3 + w])
  -- A window that was cleared meanwhile stays cleared.
  if redis.call('ZSCORE', log, member) then
    redis.call('ZADD', log, moment, member)
    local last = redis.call('ZRANGE', log, -1, -1, 'WITHSCORES')[2]
    redis.call('PEXPIRE', log, tonumber(last) - now + length)
  end
end
return 0
