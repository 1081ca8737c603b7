-- What the scripts of sliding windows share. A member may take several places in a window, one after another as fast as the
-- window's limit allows. The first has the member's own name, and the others follow it in the order of names.

local function name_of(member, nth)
  return nth == 1 and member or string.format('%s\n%03d', member, nth)
end

local function names_of(member, places)
  local names = {}
  for nth = 1, places do names[nth] = name_of(member, nth) end
  return names
end

-- Returns the member and the number of the place, from 1.
local function read_name(name)
  local member, nth = string.match(name, '^(.*)\n(%d+)$')
  return member or name, tonumber(nth or 1)
end

-- The ms from the first place of a member to its nth.
local function offset_of(nth, limit, length)
  return math.ceil((nth - 1) * length / limit)
end

-- Keeps a sorted set until its last entry is so many ms old. That may be one of a later moment.
local function keep_after_last(key, now, ms)
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
  if last then redis.call('PEXPIRE', key, math.max(1, tonumber(last) - now + ms)) end
end

local function now_or_clock(now)
  if tonumber(now) then return tonumber(now) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
