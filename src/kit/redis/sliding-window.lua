-- Takes places in each of several sliding windows, or in none of them, and says when to ask again.
--
-- A window has two sorted sets. The log has the places that were taken, with the time in ms as the score. The queue has
-- the members that were told to come back, once for each place that they need, with the time that they were told as the score.
-- In no span of the window's length more than `limit` places are taken. Members that wait keep their turn: a new member does
-- not overtake one that was told to come back. Each of them is told a different time, so that an opening does not wake them all
-- at once. One that goes first gets the next place that opens: it stands just before those who were told the time of that
-- opening, and they are told the next.
--
-- A member that takes several places has the first one now and the others later (`offset_of`). So one that needs more than
-- the limit has its turn too, and nobody has to wait for a window that is empty.
--
-- KEYS  log 1, queue 1, log 2, queue 2, …
-- ARGV  member, now in ms ('' is the clock of Redis), patience in ms, 1 if it goes first, then of each window its limit, its
--       length in ms and the places that the member takes
-- Returns 0 if the places were taken, otherwise the ms to wait before asking again.

local member = ARGV[1]
local now = now_or_clock(ARGV[2])
local patience = tonumber(ARGV[3])
local goes_first = ARGV[4] == '1'

-- The time of the nth place (from 0) of the log followed by the queue. Both are in order of time.
local function time_of(window, nth)
  if nth < window.logged then
    return tonumber(redis.call('ZRANGE', window.log, nth, nth, 'WITHSCORES')[2])
  end
  local place = redis.call('ZRANGE', window.queue, nth - window.logged, nth - window.logged, 'WITHSCORES')
  local _, of_member = read_name(place[1])
  return tonumber(place[2]) + offset_of(of_member, window.limit, window.length)
end

local windows = {}
for w = 1, #KEYS / 2 do
  windows[w] = {
    log = KEYS[2 * w - 1], queue = KEYS[2 * w],
    limit = tonumber(ARGV[2 + 3 * w]), length = tonumber(ARGV[3 + 3 * w]), names = names_of(member, tonumber(ARGV[4 + 3 * w])),
  }
end

local opens_at = now
local is_full = false
local to_wait_in = {}
for _, window in ipairs(windows) do
  local log, queue = window.log, window.queue
  redis.call('ZREMRANGEBYSCORE', log, '-inf', now - window.length)
  -- A member that did not come back in time must not hold up others, because its process may have died.
  redis.call('ZREMRANGEBYSCORE', queue, '-inf', now - patience)

  -- A member that asks again is counted once. If it has its places already, nobody is ahead of it.
  local has_place = redis.call('ZSCORE', log, member)
  window.own = {}
  for _, name in ipairs(window.names) do
    local time = redis.call('ZSCORE', log, name)
    if time then
      redis.call('ZREM', log, name)
      window.own[name] = time
    end
  end
  local turn = redis.call('ZRANK', queue, member)
  window.logged = redis.call('ZCARD', log)
  local ahead = has_place and 0 or turn or (goes_first and 0) or redis.call('ZCARD', queue)
  local before = window.logged + ahead
  local is_full_here = false
  for nth = 1, math.min(#window.names, window.limit) do
    -- This one has to be out of the window when the nth place is taken.
    local leaving = before + nth - 1 - window.limit
    if leaving >= 0 then
      local opening = time_of(window, leaving) + window.length - offset_of(nth, window.limit, window.length)
      -- One that waits there, even if it is late, takes its place after now.
      if opening > now or leaving >= window.logged then is_full_here = true end
      opens_at = math.max(opens_at, opening)
    end
  end
  is_full = is_full or is_full_here
  -- A member that has waited in this window, and now has to wait for another one, does not lose its turn here.
  if is_full_here or turn then to_wait_in[#to_wait_in + 1] = window end
end

if not is_full then
  for _, window in ipairs(windows) do
    for nth, name in ipairs(window.names) do
      redis.call('ZADD', window.log, now + offset_of(nth, window.limit, window.length), name)
    end
    keep_after_last(window.log, now, window.length)
    redis.call('ZREM', window.queue, unpack(window.names))
  end
  return 0
end

for _, window in ipairs(windows) do
  for name, time in pairs(window.own) do redis.call('ZADD', window.log, time, name) end
  -- It may have been gone without its only member.
  keep_after_last(window.log, now, window.length)
end

-- If the time of the opening has come, the member whose turn it is has not asked yet. So this one looks again in 20 ms: less
-- would load Redis while the other one is on its way, more would leave the place empty.
opens_at = math.max(opens_at, now + 20)
for _, window in ipairs(to_wait_in) do
  for _, name in ipairs(window.names) do
    redis.call('ZADD', window.queue, goes_first and opens_at - 1 or opens_at, name)
  end
  keep_after_last(window.queue, now, patience)
end
return opens_at - now
