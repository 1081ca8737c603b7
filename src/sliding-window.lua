-- Takes a place in every one of several sliding windows, or in none, and says when one may open.
--
-- A window is two sorted sets: the log (member = who took a place, score = when, in ms) and the queue of those
-- who were told to come back (score = the time they were told). In no span of the window's length are more than
-- `limit` places taken. Those who wait keep their turn: a newcomer does not overtake someone who was told to
-- come back, and everybody is told a different opening, so that a full window does not wake them all at once.
--
-- KEYS  log 1, queue 1, log 2, queue 2, …
-- ARGV  member, now in ms ('' = the clock of Redis), patience in ms, then limit and length in ms of each window
-- Gives 0 when the places are taken, else the ms to wait before asking again.

local member = ARGV[1]
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local patience = tonumber(ARGV[3])

-- The score of the nth (from 0): the log first, then the queue; both are in order of time.
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
  local limit, length = tonumber(ARGV[2 + 2 * w]), tonumber(ARGV[3 + 2 * w])
  redis.call('ZREMRANGEBYSCORE', log, '-inf', now - length)
  -- Who did not come back in time (its process died) holds nobody up.
  redis.call('ZREMRANGEBYSCORE', queue, '-inf', now - patience)

  -- A repeat by the same member counts once, and its place is its own: it has nobody before it.
  local has_place = redis.call('ZSCORE', log, member)
  local turn = redis.call('ZRANK', queue, member)
  local logged = redis.call('ZCARD', log) - (has_place and 1 or 0)
  local ahead = has_place and 0 or turn or redis.call('ZCARD', queue)
  local before = logged + ahead
  if before >= limit then
    is_full = true
    opens_at = math.max(opens_at, score_at(log, queue, logged, before - limit) + length)
  end
  -- Who has waited here, and is now held up by another window, does not lose its turn here by that.
  if before >= limit or turn then
    to_wait_in[#to_wait_in + 1] = queue
  end
end

if not is_full then
  for w = 1, #KEYS / 2 do
    local log, queue, length = KEYS[2 * w - 1], KEYS[2 * w], tonumber(ARGV[3 + 2 * w])
    redis.call('ZADD', log, now, member)
    -- As long as its last place counts, which may be held for a moment to come.
    local last = redis.call('ZRANGE', log, -1, -1, 'WITHSCORES')[2]
    redis.call('PEXPIRE', log, tonumber(last) - now + length)
    redis.call('ZREM', queue, member)
  end
  return 0
end

-- The opening has come, but somebody whose turn it is has not asked yet: look again shortly.
opens_at = math.max(opens_at, now + 20)
for _, queue in ipairs(to_wait_in) do
  redis.call('ZADD', queue, opens_at, member)
  -- As long as its last one waits, who need not be this one.
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', queue, tonumber(last) - now + patience)
end
return opens_at - now
