-- Takes a place in each of several sliding windows, or in none of them, and says when to ask again.
--
-- A window has two sorted sets. The log has the members that took a place, with the time in ms as the score. The queue has
-- the members that were told to come back, with the time that they were told as the score. In no span of the window's length
-- more than `limit` places are taken. Members that wait keep their turn: a new member does not overtake one that was told to
-- come back. Each of them is told a different time, so that an opening does not wake them all at once. One that goes first gets
-- the next place that opens: it stands just before those who were told the time of that opening, and they are told the next.
--
-- KEYS  log 1, queue 1, log 2, queue 2, …
-- ARGV  member, now in ms ('' is the clock of Redis), patience in ms, 1 if it goes first, then limit and length in ms of each window
-- Returns 0 if the places were taken, otherwise the ms to wait before asking again.

local member = ARGV[1]
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local patience = tonumber(ARGV[3])
local goes_first = ARGV[4] == '1'

-- The score of the nth entry (from 0) of the log followed by the queue. Both are in order of time.
local function score_at(log, queue, logged, n)
  local key, index = log, n
  if n >= logged then
    key, index = queue, n - logged
  end
  return tonumber(redis.call('ZRANGE', key, index, index, 'WITHSCORES')[2])
end

local opens_at = now
local is_full = false
local to_wait_in = {}
for w = 1, #KEYS / 2 do
  local log, queue = KEYS[2 * w - 1], KEYS[2 * w]
  local limit, length = tonumber(ARGV[3 + 2 * w]), tonumber(ARGV[4 + 2 * w])
  redis.call('ZREMRANGEBYSCORE', log, '-inf', now - length)
  -- A member that did not come back in time must not hold up others, because its process may have died.
  redis.call('ZREMRANGEBYSCORE', queue, '-inf', now - patience)

  -- A member that asks again is counted once. If it has a place already, nobody is ahead of it.
  local has_place = redis.call('ZSCORE', log, member)
  local turn = redis.call('ZRANK', queue, member)
  local logged = redis.call('ZCARD', log) - (has_place and 1 or 0)
  local ahead = has_place and 0 or turn or (goes_first and 0) or redis.call('ZCARD', queue)
  local before = logged + ahead
  if before >= limit then
    is_full = true
    opens_at = math.max(opens_at, score_at(log, queue, logged, before - limit) + length)
  end
  -- A member that has waited in this window, and now has to wait for another one, does not lose its turn here.
  if before >= limit or turn then
    to_wait_in[#to_wait_in + 1] = queue
  end
end

if not is_full then
  for w = 1, #KEYS / 2 do
    local log, queue, length = KEYS[2 * w - 1], KEYS[2 * w], tonumber(ARGV[4 + 2 * w])
    redis.call('ZADD', log, now, member)
    -- The log is kept as long as its last place counts. That place may be held for a later moment.
    local last = redis.call('ZRANGE', log, -1, -1, 'WITHSCORES')[2]
    redis.call('PEXPIRE', log, tonumber(last) - now + length)
    redis.call('ZREM', queue, member)
  end
  return 0
end

-- If the time of the opening has come, the member whose turn it is has not asked yet. So this one looks again in 20 ms: less
-- would load Redis while the other one is on its way, more would leave the place empty.
opens_at = math.max(opens_at, now + 20)
for _, queue in ipairs(to_wait_in) do
  redis.call('ZADD', queue, goes_first and opens_at - 1 or opens_at, member)
  -- The queue is kept as long as its last member waits, which need not be this one.
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', queue, tonumber(last) - now + patience)
end
return opens_at - now
