-- Puts back places that Redis has forgotten. Places that are still there stay as they are.
--
-- KEYS  log
-- ARGV  now in ms ('' is the clock of Redis), length of the window in ms, then for each place: member, and its age in ms

local log, length = KEYS[1], tonumber(ARGV[2])
local now = now_or_clock(ARGV[1])
for i = 3, #ARGV, 2 do
  redis.call('ZADD', log, 'NX', now - tonumber(ARGV[i + 1]), ARGV[i])
end
keep_after_last(log, now, length)
return 0
