-- Puts back places that Redis has forgotten. Places that are still there stay as they are.
--
-- KEYS  log
-- ARGV  now in ms ('' is the clock of Redis), length of the window in ms, then for each place: member, and its age in ms

local log, length = KEYS[1], tonumber(ARGV[2])
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
for i = 3, #ARGV, 2 do
  redis.call('ZADD', log, 'NX', now - tonumber(ARGV[i + 1]), ARGV[i])
end
local last = redis.call('ZRANGE', log, -1, -1, 'WITHSCORES')[2]
if last then redis.call('PEXPIRE', log, math.max(1, tonumber(last) - now + length)) end
return 0
