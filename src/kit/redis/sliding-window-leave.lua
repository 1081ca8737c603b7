-- Takes members out of a window: their turns, and the places that they hold for a moment to come. What was taken for now stays,
-- because it may have been used. Those who waited behind them get the times that they would have been told without them, in the
-- same order.
--
-- KEYS  log, queue
-- ARGV  now in ms ('' is the clock of Redis), limit, length in ms, how many of the places that are waited for get a new time,
--       then the members
-- Returns those who get an earlier time, each followed by the ms to wait until then

local log, queue = KEYS[1], KEYS[2]
local now = now_or_clock(ARGV[1])
local limit, length, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local has_left = false

-- Removes the member's places that are later than a time.
local function remove_after(time, key, member)
  local nth = 1
  local score = redis.call('ZSCORE', key, member)
  while score do
    if tonumber(score) > time then
      redis.call('ZREM', key, name_of(member, nth))
      has_left = true
    end
    nth = nth + 1
    score = redis.call('ZSCORE', key, name_of(member, nth))
  end
end

for i = 5, #ARGV do
  remove_after(now, log, ARGV[i])
  remove_after(-math.huge, queue, ARGV[i])
end
if not has_left then return {} end

redis.call('ZREMRANGEBYSCORE', log, '-inf', now - length)
local logged = redis.call('ZCARD', log)
local waiting = redis.call('ZRANGE', queue, 0, most - 1, 'WITHSCORES')
-- The first of the places in the log that one who waits may get, from 0.
local from = math.max(logged - limit, 0)
local taken = redis.call('ZRANGE', log, from, from + #waiting / 2 - 1, 'WITHSCORES')

-- Those who wait, in order, each with the places ahead of it.
local members, owners = {}, {}
for n = 1, #waiting / 2 do
  local name = read_name(waiting[2 * n - 1])
  local last = members[#members]
  if last and last.name == name then
    last.places = last.places + 1
  else
    last = { name = name, told = tonumber(waiting[2 * n]), ahead = n - 1, places = 1 }
    members[#members + 1] = last
  end
  owners[n] = last
end

local earlier = {}
for _, member in ipairs(members) do
  local opens_at = now
  for nth = 1, math.min(member.places, limit) do
    local leaving = logged + member.ahead + nth - 1 - limit
    if leaving >= 0 then
      local time
      if leaving < logged then
        time = tonumber(taken[2 * (leaving - from) + 2])
      else
        local owner = owners[leaving - logged + 1]
        time = owner.time + offset_of(leaving - logged + 1 - owner.ahead, limit, length)
      end
      opens_at = math.max(opens_at, time + length - offset_of(nth, limit, length))
    end
  end
  member.time = math.min(member.told, opens_at)
  if opens_at < member.told then
    local nth = 1
    while redis.call('ZADD', queue, 'XX', 'CH', opens_at, name_of(member.name, nth)) == 1 do nth = nth + 1 end
    earlier[#earlier + 1] = member.name
    earlier[#earlier + 1] = opens_at - now
  end
end
return earlier
