-- Puts back places that were forgotten. Those that are there stay as they are.
--
-- KEYS  log
-- ARGV  now in ms ('' = the clock of Redis), length in ms of the window, then for each place: member, ms ago

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
