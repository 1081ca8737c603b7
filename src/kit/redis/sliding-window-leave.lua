-- Takes members out of a window: their turns, and the places that they hold for a moment to come. A place that was taken
-- for now stays, because it may have been used. Those who waited behind them get the times that they would have been told
-- without them, in the same order.
--
-- KEYS  log, queue
-- ARGV  now in ms ('' is the clock of Redis), limit, length in ms, how many of those who wait get a new time, then the members
-- Returns those who get an earlier time, each followed by the ms to wait until then

local log, queue = KEYS[1], KEYS[2]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local limit, length, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local has_left = false
for i = 5, #ARGV do
  local held_until = redis.call('ZSCORE', log, ARGV[i])
  if held_until and tonumber(held_until) > now then
    redis.call('ZREM', log, ARGV[i])
    has_left = true
  end
  if redis.call('ZREM', queue, ARGV[i]) == 1 then has_left = true end
end
if not has_left then return {} end

redis.call('ZREMRANGEBYSCORE', log, '-inf', now - length)
local logged = redis.call('ZCARD', log)
local waiting = redis.call('ZRANGE', queue, 0, most - 1, 'WITHSCORES')
-- The place that opens for the first who waits is this one of the log, from 0; below 0 a place is free.
local first = logged - limit
local from = math.max(first, 0)
local taken = redis.call('ZRANGE', log, from, from + #waiting / 2 - 1, 'WITHSCORES')
local times, earlier = {}, {}
for n = 1, #waiting / 2 do
  local member, told = waiting[2 * n - 1], tonumber(waiting[2 * n])
  local nth = first + n - 1
  local opens_at = now
  if nth >= logged then
    opens_at = math.max(now, times[nth - logged + 1] + length)
  elseif nth >= 0 then
    opens_at = math.max(now, tonumber(taken[2 * (nth - from) + 2]) + length)
  end
  times[n] = math.min(told, opens_at)
  if opens_at < told then
    redis.call('ZADD', queue, opens_at, member)
    earlier[#earlier + 1] = member
    earlier[#earlier + 1] = opens_at - now
  end
end
return earlier
