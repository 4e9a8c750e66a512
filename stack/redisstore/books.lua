-- The books of a fleet in Redis: package fleet's Books, exchange for exchange; see there for what each rule is for.
-- All numbers are whole and below 2^53, instants in microseconds. Names are as in the Go code where there is one.
--
-- KEYS   books, bins, leases; all others are named after the first, and have its hash tag
-- ARGV   member, given, batch, ack, version known, mode (0 tell, 1 join, 2 probe), fingerprint, how far given may be
--        from the server's clock (-1: no clock is looked at), configuration (JSON, to join with), operations, flat
local BOOKS, BINS, LEASES = KEYS[1], KEYS[2], KEYS[3]
local CLASS, NEVER, DEBT = 2 ^ 44, 2 ^ 52, 3600 * 1000000
local NOTABLE, KEEP, AT_MOST = 20000, 172800, 1000
local SPAN, RING, AT_ONCE = 62, 64, 8
local call, floor, max, min = redis.call, math.floor, math.max, math.min
local pack, unpack_ = cmsgpack.pack, cmsgpack.unpack

local me, given, batch, ack = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local known, mode, fingerprint, apart = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8])

local clock = 0
if apart >= 0 then
  local t = call('TIME')
  clock = tonumber(t[1]) * 1000000 + tonumber(t[2])
  given = max(min(given, clock + apart), clock - apart)
end

local function int(x) return string.format('%.0f', x) end
local function key(kind, name) return BOOKS .. ':' .. kind .. ':' .. name end

-- Meta: M = {time, epoch, seq, version, dead keys, due by group, heads, told}, C = the configuration.
local M, C
local books = call('HMGET', BOOKS, 'M', 'C', 'F')
local mine = books[3]
if books[1] then
  M, C = unpack_(books[1]), unpack_(books[2])
end

-- A fleet that is gone for good leaves nothing for ever: what is written is kept for two days more.
local kept = {}
local function keep(k)
  kept[k] = true
  return k
end

-- put sets fields of a hash, a list of names and values, in parts: a call takes only so many.
local function put(k, list)
  for i = 1, #list, AT_MOST do call('HSET', k, unpack(list, i, min(i + AT_MOST - 1, #list))) end
end

local NOBODY = { '', '0', NEVER, 0 }

-- begin makes new books.
local function begin(config)
  C = cjson.decode(config)
  M = { given, given, 0, 1, {}, {}, {}, {} }
  for g = 1, #C.groups do M[6][g] = NEVER end
  for _, name in ipairs(call('ZRANGE', LEASES, 0, -1)) do call('DEL', key('member', name), key('box', name)) end
  call('DEL', BOOKS, BINS, LEASES)
  for t = 1, #C.targets do
    local conf = C.targets[t]
    M[7][t], M[8][t] = NOBODY, NOBODY
    call('DEL', key('line', t), key('samples', t))
    call('HSET', BOOKS, 'T' .. t, pack(conf))
    local keys = {}
    for k = 1, #conf.keys do keys[k] = 0 end
    local start = conf.start
    if conf.adaptive == 1 then start = min(max(start, conf.min), conf.max) end
    -- in flight, limit, busy, evaluate, cut, ever cut, raised, lowered, samples, stale, fresh, weights, credits
    call('HSET', BOOKS, 't' .. t, pack({ 0, start, 0, conf.interval, 0, 0, 0, 0, 0, 1, 0, keys, keys }))
  end
  for q = 1, #C.quotas do
    local conf = C.quotas[q]
    call('HSET', BOOKS, 'Q' .. q, pack(conf))
    -- of each limit: bin, sum, schedule, hold; in flight; excluded
    local s = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
    for k = 0, 2 do s[k * 4 + 4] = given + conf.limits[k + 1].burst end
    call('HSET', BOOKS, 'q' .. q, pack(s))
  end
  call('HSET', BINS, 'made', 1)
  C.targets, C.quotas = #C.targets, #C.quotas
  call('HSET', BOOKS, 'C', pack(C), 'F', fingerprint)
  mine = fingerprint
end

-- living tells whether anybody else is alive at the instant given: nobody is taken for dead for the time in which the
-- books were out of reach.
local function living()
  local since = max(M[1], given)
  if given - M[1] > C.lease / 2 then since = M[1] end
  local left = call('ZRANGEBYSCORE', LEASES, '(' .. int(since), '+inf', 'LIMIT', 0, 2)
  return #left > 1 or #left == 1 and left[1] ~= me
end

if mode == 1 and mine ~= fingerprint and not (M and living()) then
  if M then given = max(M[1], given) end
  begin(ARGV[9])
end
if not M then
  return { mode == 2 and 0 or 1, given, clock, 0, 0 }
end

local gap = given - M[1]
local now = max(M[1], given)
M[1] = now

-- Targets and quotas are read when they are needed, and written back at the end.
local targets, quotas, bins, touched = {}, {}, {}, {}

local function target(t)
  local x = targets[t]
  if not x then
    local v = call('HMGET', BOOKS, 'T' .. t, 't' .. t)
    x = { conf = unpack_(v[1]), s = unpack_(v[2]) }
    targets[t] = x
  end
  return x
end

local function quota(q)
  local x = quotas[q]
  if not x then
    local v = call('HMGET', BOOKS, 'Q' .. q, 'q' .. q)
    x = { conf = unpack_(v[1]), s = unpack_(v[2]), n = q }
    quotas[q] = x
  end
  return x
end

-- Bins: a count and the number of the bin that it is of, by quota, limit and place in the ring.
local function slot(q, k, bin) return q .. ':' .. k .. ':' .. (bin % RING) end

local function read(field, v)
  local x = { -1, 0 }
  if v then
    local a, n = string.match(v, '^(%S+) (%S+)$')
    x = { tonumber(a), tonumber(n) }
  end
  bins[field] = x
  return x
end

local function count(q, k, bin)
  local field = slot(q, k, bin)
  local x = bins[field] or read(field, call('HGET', BINS, field))
  if x[1] == bin then return x[2] end
  return 0
end

local function add(q, k, bin, n)
  local c = count(q, k, bin)
  local field = slot(q, k, bin)
  bins[field] = { bin, c + n }
  touched[field] = true
end

-- some reads a few bins of a limit at once, from one on.
local function some(q, k, bin)
  local fields = {}
  for b = bin, bin + AT_ONCE - 1 do
    local field = slot(q, k, b)
    if not bins[field] then table.insert(fields, field) end
  end
  if #fields == 0 then return end
  local v = call('HMGET', BINS, unpack(fields))
  for i, field in ipairs(fields) do read(field, v[i]) end
end

-- The bucket (package bucket). l: a limit's configuration; s, i: its state is s[i+1..i+4].
local function cost(l, n)
  local c, span = l.capacity, l.span
  local q = floor(n / c)
  local a = (n - q * c) * span
  local x = floor(a / c)
  a = (a - x * c) * 1000
  local y = floor(a / c)
  a = (a - y * c) * 1000
  local z = floor(a / c)
  if a > z * c then z = z + 1 end
  return q * span * 1000000 + (x * 1000 + y) * 1000 + z
end

local function ceiling(l, lower)
  if lower then return l.capacity - l.reserve end
  return l.capacity
end

local function slack(l, n, lower)
  local b = l.burst
  if lower then b = l.shared end
  return max(0, b - cost(l, n))
end

local function roll(x, k)
  local l, s, i = x.conf.limits[k], x.s, (k - 1) * 4
  local bin = floor(now / l.width)
  if bin == s[i + 1] then return end
  if bin - s[i + 1] >= SPAN then
    s[i + 2] = 0
  else
    for b = s[i + 1] - SPAN + 1, bin - SPAN do s[i + 2] = s[i + 2] - count(x.n, k, b) end
  end
  s[i + 1] = bin
  x.changed = true
end

local function ready(x, need, lower)
  local s = x.s
  if x.conf.places > 0 and s[17] >= x.conf.places then return false end
  for k = 1, 4 do
    local l, i = x.conf.limits[k], (k - 1) * 4
    if l.capacity > 0 then
      roll(x, k)
      if s[i + 2] + need[k] > ceiling(l, lower) or max(s[i + 3], s[i + 4]) - now > slack(l, need[k], lower) then
        return false
      end
    end
  end
  return true
end

local function fits(x, need, lower)
  for k = 1, 4 do
    local l = x.conf.limits[k]
    if l.capacity > 0 and need[k] > ceiling(l, lower) then return false end
  end
  return true
end

local function take(x, need)
  local s = x.s
  s[17] = s[17] + 1
  x.changed = true
  for k = 1, 4 do
    local l, i = x.conf.limits[k], (k - 1) * 4
    if l.capacity > 0 then
      roll(x, k)
      add(x.n, k, s[i + 1], need[k])
      s[i + 2] = s[i + 2] + need[k]
      s[i + 3] = max(s[i + 3], s[i + 4], now) + cost(l, need[k])
    end
  end
end

local function after(x, k, n, lower, best)
  local l, s, i = x.conf.limits[k], x.s, (k - 1) * 4
  if l.capacity == 0 then return now end
  roll(x, k)
  local top = ceiling(l, lower)
  if n > top then return NEVER end
  local at = max(now, max(s[i + 3], s[i + 4]) - slack(l, n, lower))
  local sum = s[i + 2]
  local first = s[i + 1] - SPAN + 1
  for b = first, s[i + 1] do
    -- What cannot be before the best so far need not be known exactly.
    if sum + n <= top or at >= best then break end
    if (b - first) % AT_ONCE == 0 then some(x.n, k, b) end
    sum = sum - count(x.n, k, b)
    at = max(at, (b + SPAN) * l.width)
  end
  return at
end

local WHY, ORDER = { 3, 4, 7, 8 }, { 2, 3, 1, 4 }
local function nextFor(x, need, lower, best)
  if x.conf.places > 0 and x.s[17] >= x.conf.places then return NEVER, 6 end
  local at, why = -1, 0
  for j = 1, 4 do
    local k = ORDER[j]
    local t = after(x, k, need[k], lower, best)
    if t > at then at, why = t, WHY[k] end
    if at >= best then break end
  end
  return min(at, NEVER), why
end

-- loose: the schedules have never been charged with it.
local function settleQuota(x, taken, reserved, used, loose)
  local s = x.s
  x.changed = true
  for k = 1, 4 do
    local l, i = x.conf.limits[k], (k - 1) * 4
    if l.capacity > 0 and reserved[k] ~= used[k] then
      roll(x, k)
      local bin = floor(taken / l.width)
      if bin > s[i + 1] - SPAN then
        add(x.n, k, bin, used[k] - reserved[k])
        s[i + 2] = s[i + 2] + used[k] - reserved[k]
      end
      if not loose then
        if used[k] > reserved[k] then s[i + 3] = max(s[i + 3], now) end
        s[i + 3] = min(s[i + 3] + cost(l, used[k]) - cost(l, reserved[k]), now + DEBT)
      end
    end
  end
end

local function hold(x, at)
  x.changed = true
  for k = 1, 3 do
    local l, i = x.conf.limits[k], (k - 1) * 4
    if l.capacity > 0 then x.s[i + 4] = max(x.s[i + 4], at + l.burst) end
  end
end

local function free(x)
  for _, k in ipairs({ 2, 1 }) do
    local l = x.conf.limits[k]
    if l.capacity > 0 then
      roll(x, k)
      return max(0, l.capacity - x.s[(k - 1) * 4 + 2])
    end
  end
  if x.conf.places > 0 then return x.conf.places - x.s[17] end
  return 1
end

-- The controller (package limit, aimd).
local function lowerLimit(t, x)
  local c, s = x.conf, x.s
  local to = max(c.min, min(s[2] - 1, floor(s[2] * c.decrease / 100)))
  if to < s[2] then s[2], s[8] = to, s[8] + 1 end
  s[5], s[6], s[9], s[3], s[4] = now, 1, 0, 0, now + c.interval
  call('DEL', key('samples', t))
end

local function look(t, x)
  local c, s = x.conf, x.s
  local busy = s[3]
  s[3], s[4] = 0, now + c.interval
  if s[9] < c.least then
    s[3] = busy
    return
  end
  local v = call('LRANGE', key('samples', t), 0, s[9] - 1)
  for i = 1, #v do v[i] = tonumber(v[i]) end
  table.sort(v)
  local p95 = v[floor((#v * 95 + 99) / 100)]
  if p95 > c.high then
    if s[6] == 0 or now >= s[5] + c.interval then lowerLimit(t, x) end
  elseif p95 < c.low and busy == 1 then
    local to = min(c.max, s[2] + max(1, floor(floor(math.sqrt(s[2])) * c.increase / 100)))
    if to > s[2] then s[2], s[7] = to, s[7] + 1 end
  end
end

local function success(t, x, sent, signal)
  local c, s = x.conf, x.s
  if c.adaptive == 0 or s[6] == 1 and sent < s[5] then return end
  call('LPUSH', keep(key('samples', t)), signal)
  s[9] = s[9] + 1
  if s[9] > c.samples then
    s[9] = c.samples
    call('LTRIM', key('samples', t), 0, c.samples - 1)
  end
  if now >= s[4] then look(t, x) end
end

local function failure(t, x, sent)
  local c, s = x.conf, x.s
  if c.adaptive == 0 or s[6] == 1 and (sent < s[5] or now < s[5] + c.interval) then return end
  lowerLimit(t, x)
end

-- Members and what they hold. An item is {granted, target, class, seq, tokens, output, quota (or the pinned one, or
-- 0), taken, whether the schedules have never been charged with it}; targets, quotas and keys count from 1 here.
local dirty, wakes, members = {}, {}, {}

local function touch(t)
  dirty[C.group[t]] = true
end

local function needOf(it) return { 1, it[5], it[6], 1 } end

local function leave(name, id, it)
  call('ZREM', key('line', it[2]), name .. '|' .. id)
  touch(it[2])
end

local function enter(name, id, it)
  call('ZADD', keep(key('line', it[2])), int(it[3] * CLASS + it[4]), name .. '|' .. id)
  touch(it[2])
end

-- each calls f for every item of a member.
local function each(name, f)
  local v = call('HGETALL', key('member', name))
  for i = 1, #v, 2 do
    if string.find(v[i], '^%d') then f(v[i], unpack_(v[i + 1])) end
  end
end

local function drop(name)
  local parked = call('HGET', key('member', name), 'parked') == '1'
  each(name, function(id, it)
    touch(it[2])
    if it[1] == 1 then
      local x, q = target(it[2]), quota(it[7])
      x.s[1], x.changed = x.s[1] - 1, true
      q.s[17], q.changed = q.s[17] - 1, true
    elseif not parked then
      leave(name, id, it)
    end
  end)
  call('DEL', key('member', name), key('box', name))
  call('ZREM', LEASES, name)
  members[name] = nil
end

local function park(name)
  call('HSET', keep(key('member', name)), 'parked', 1)
  each(name, function(id, it)
    if it[1] == 0 then leave(name, id, it) end
  end)
end

-- Without its bins a window never forgets what it has counted. The server should evict nothing; if it has, the quotas go on
-- as new ones do, without a burst.
if call('EXISTS', BINS) == 0 then
  for q = 1, C.quotas do
    local x = quota(q)
    for k = 1, 4 do x.s[(k - 1) * 4 + 2] = 0 end
    hold(x, now)
  end
  call('HSET', BINS, 'made', 1)
end

-- Time: who could not reach the books is not taken for dead.
if gap > C.lease / 2 then
  for q = 1, C.quotas do hold(quota(q), max(now, clock)) end
  local v = call('ZRANGE', LEASES, 0, -1, 'WITHSCORES')
  for i = 1, #v, 2 do call('ZADD', LEASES, int(tonumber(v[i + 1]) + gap), v[i]) end
end
while true do
  local v = call('ZRANGEBYSCORE', LEASES, '-inf', int(now), 'LIMIT', 0, 1)
  if #v == 0 then break end
  drop(v[1])
end

-- Operations.

-- renew has the weights of all targets set anew whose keys have a value at a place, and their lines looked at.
local function renew(place, value)
  for t = 1, C.targets do
    local x = target(t)
    for _, k in ipairs(x.conf.keys) do
      if k[place] == value then
        x.s[10], x.changed = 1, true
        touch(t)
        break
      end
    end
  end
end

local function exclude(q, rest)
  local x = quota(q)
  local at = now + rest
  if at <= x.s[18] then return end
  x.s[18] = at
  hold(x, at)
  M[4] = M[4] + 1
  renew(2, q)
end

local function dead(k)
  for _, d in ipairs(M[5]) do
    if d == k then return true end
  end
  return false
end

local function kill(k)
  if dead(k) then return end
  table.insert(M[5], k)
  table.sort(M[5])
  M[4] = M[4] + 1
  renew(1, k)
end

-- revive forgets which keys are dead: a fleet that begins finds out for itself.
local function revive()
  local keys = M[5]
  if #keys == 0 then return end
  M[4], M[5] = M[4] + 1, {}
  for _, k in ipairs(keys) do renew(1, k) end
end

local function item(name, id)
  local v = call('HGET', key('member', name), id)
  if not v then return nil end
  return unpack_(v)
end

-- close settles a grant; o: unused, known, tokens, output, failed, signal, rest.
local function close(id, o)
  local it = item(me, id)
  if not it or it[1] == 0 then return end
  call('HDEL', key('member', me), id)
  local x, q = target(it[2]), quota(it[7])
  x.s[1], x.changed = x.s[1] - 1, true
  q.s[17], q.changed = q.s[17] - 1, true
  if o.unused == 1 then
    settleQuota(q, it[8], needOf(it), { 0, 0, 0, 0 }, it[9] == 1)
  elseif o.known == 1 then
    settleQuota(q, it[8], needOf(it), { 1, o.tokens, o.output, 1 }, it[9] == 1)
  end
  local before = x.s[2]
  if o.signal >= 0 then success(it[2], x, it[8], o.signal) end
  if o.failed == 1 then failure(it[2], x, it[8]) end
  if x.s[2] ~= before then M[4] = M[4] + 1 end
  touch(it[2])
  if o.rest > 0 then exclude(it[7], o.rest) end
end

local at = 10
local function arg()
  at = at + 1
  return tonumber(ARGV[at - 1])
end
local function name()
  at = at + 1
  return ARGV[at - 1]
end

local ops = {
  function() -- ask: id, target, class, tokens, output, pinned
    local id = name()
    M[3] = M[3] + 1
    local it = { 0, arg() + 1, arg(), M[3], arg(), arg(), arg() + 1, 0 }
    call('HSET', key('member', me), id, pack(it))
    enter(me, id, it)
  end,
  function() -- withdraw: id
    local id = name()
    local it = item(me, id)
    if it and it[1] == 1 then
      close(id, { unused = 1, known = 0, failed = 0, signal = -1, rest = 0 })
    elseif it then
      call('HDEL', key('member', me), id)
      leave(me, id, it)
    end
  end,
  function() -- settle: id, unused, known, tokens, output, failed, signal, rest
    close(name(), { unused = arg(), known = arg(), tokens = arg(), output = arg(), failed = arg(), signal = arg(), rest = arg() })
  end,
  function() -- adopt: id, target, class, tokens, output, quota, taken, charged
    local id = name()
    local it = { 1, arg() + 1, arg(), 0, arg(), arg(), arg() + 1, min(arg(), now) }
    local charged = arg()
    it[9] = 1 - charged
    call('HSET', key('member', me), id, pack(it))
    local x, q = target(it[2]), quota(it[7])
    x.s[1], x.changed = x.s[1] + 1, true
    q.s[17], q.changed = q.s[17] + 1, true
    if charged == 0 then settleQuota(q, it[8], { 0, 0, 0, 0 }, needOf(it), true) end
  end,
  function() -- charge: quota, taken, requests, tokens, output
    local q, taken, n = quota(arg() + 1), min(arg(), now), arg()
    settleQuota(q, taken, { 0, 0, 0, 0 }, { n, arg(), arg(), n }, true)
  end,
  function() exclude(arg() + 1, arg()) end, -- quota, rest
  function() kill(arg()) end, -- key
  function() -- leave
    drop(me)
    at = #ARGV + 1
  end,
}

-- hear takes what the member says.
local function hear(act)
  local m, box = keep(key('member', me)), keep(key('box', me))
  local parked = call('HGET', m, 'parked') == '1'
  call('HSET', m, 'batch', ARGV[3], 'parked', 0)
  call('ZADD', LEASES, int(now + C.lease), me)
  if parked then
    each(me, function(id, it)
      if it[1] == 0 then enter(me, id, it) end
    end)
  end
  while true do
    local v = call('LINDEX', box, 0)
    if not v or unpack_(v)[1] > ack then break end
    call('LPOP', box)
  end
  if act then
    while at <= #ARGV do ops[arg()]() end
  end
end

local status = 0
if mine ~= fingerprint then
  if mode == 0 then
    status = 1
  elseif mode == 1 or call('ZCARD', LEASES) > 0 then
    status = 2
  end
elseif mode ~= 2 then
  local last = call('HGET', key('member', me), 'batch')
  if last and tonumber(last) == batch then
    hear(false)
  elseif last and batch < tonumber(last) then
    status = 1
  elseif mode == 1 then
    if last then drop(me) end
    if call('ZCARD', LEASES) == 0 then revive() end
    hear(true)
  elseif last and tonumber(last) + 1 == batch then
    hear(true)
  else
    status = 1
  end
end

-- Granting.
local function weigh(x)
  local s, keys = x.s, x.conf.keys
  local weights, fresh = {}, NEVER
  for k = 1, #keys do
    local u = keys[k]
    local w = u[3]
    if dead(u[1]) then
      w = 0
    else
      local q = quota(u[2])
      if q.s[18] > now then
        w = 0
        fresh = min(fresh, q.s[18])
      elseif C.remaining == 1 then
        w = w * max(1, free(q))
      end
    end
    weights[k] = w
  end
  if C.remaining == 1 then fresh = min(fresh, (floor(now / 1000000) + 1) * 1000000) end
  s[10], s[11], s[12], x.changed = 0, fresh, weights, true
end

local function pick(x, it, need, lower, claims)
  local s = x.s
  if s[10] == 1 or now >= s[11] then weigh(x) end
  local weights, credits, dropped = s[12], s[13], {}
  while true do
    local best, most = 0, 0
    for k = 1, #weights do
      local w = weights[k]
      if w > 0 and not dropped[k] and (best == 0 or credits[k] + w > most) then best, most = k, credits[k] + w end
    end
    if best == 0 then return 0 end
    local q = x.conf.keys[best][2]
    if (it[7] == 0 or it[7] == q) and not claims[q] and ready(quota(q), need, lower) then
      local total = 0
      for k = 1, #weights do
        if not dropped[k] then
          credits[k] = credits[k] + weights[k]
          total = total + weights[k]
        end
      end
      credits[best] = credits[best] - total
      return best
    end
    dropped[best] = true
  end
end

local function grant(t, x, owner, id, it, need, k)
  call('ZREM', key('line', t), owner .. '|' .. id)
  local u = x.conf.keys[k]
  take(quota(u[2]), need)
  x.s[1], x.changed = x.s[1] + 1, true
  if x.s[1] >= x.s[2] then x.s[3] = 1 end
  it[1], it[7], it[8] = 1, u[2], now
  local m = keep(key('member', owner))
  call('HSET', m, id, pack(it))
  local n = call('HINCRBY', m, 'number', 1)
  call('RPUSH', keep(key('box', owner)), pack({ n, id, u[1], u[2], now }))
  wakes[owner] = true
end

local function prospect(x, it, need, lower, claims)
  local first, at, why, rested = 0, NEVER, 0, NEVER
  for _, u in ipairs(x.conf.keys) do
    if u[3] > 0 and not dead(u[1]) and (it[7] == 0 or it[7] == u[2]) then
      local q = quota(u[2])
      if fits(q, need, lower) then
        if q.s[18] > now then
          rested = min(rested, q.s[18])
          if why == 0 then why = 5 end
        else
          local t, w = nextFor(q, need, lower, first > 0 and at or NEVER)
          if claims[u[2]] then t = max(t, claims[u[2]]) end
          if t < at or first == 0 then at, why, first = t, w, u[2] end
        end
      end
    end
  end
  if why == 6 then first = 0 end
  return min(at, rested), why, first
end

local function reserved(x)
  local l = x.s[2]
  if x.conf.reserve == 0 or l < 2 then return 0 end
  return min(l - 1, max(1, floor(l * x.conf.reserve / 100)))
end

-- try grants a head (and returns nothing), or says when it could be granted, why not now, and by which quota first.
local function try(t, owner, id, it, claims)
  local x = target(t)
  local s, lower, need = x.s, it[3] > 0, needOf(it)
  if s[1] >= s[2] then
    s[3], x.changed = 1, true
    return NEVER, 1, 0
  end
  if lower and s[1] >= s[2] - reserved(x) then
    s[3], x.changed = 1, true
    return NEVER, 2, 0
  end
  local k = pick(x, it, need, lower, claims)
  if k > 0 then
    grant(t, x, owner, id, it, need, k)
    return nil
  end
  return prospect(x, it, need, lower, claims)
end

-- foremost is the head of a target's line: its score, owner, id and item.
local function foremost(t)
  while true do
    local v = call('ZRANGE', key('line', t), 0, 0, 'WITHSCORES')
    if #v == 0 then return nil end
    local owner, id = string.match(v[1], '^(.*)|(%d+)$')
    local oldest = call('LINDEX', key('box', owner), 0)
    if not oldest or unpack_(oldest)[5] + C.quiet >= now then
      local it = item(owner, id)
      if it then return tonumber(v[2]), owner, id, it end
      call('ZREM', key('line', t), v[1]) -- the server has evicted what the member asked for
    else
      park(owner)
    end
  end
end

local function settleGroup(g)
  local list = C.groups[g]
  dirty[g] = nil
  M[6][g] = NEVER
  local blocked, claims = {}, {}
  while true do
    local best, score, owner, id, it
    for n = 1, #list do
      if not blocked[n] then
        local s, o, i, x = foremost(list[n])
        if s and (not score or s < score) then best, score, owner, id, it = n, s, o, i, x end
      end
    end
    if not best then break end
    local t, why, q = try(list[best], owner, id, it, claims)
    if t then
      blocked[best] = { owner, id, t, why }
      M[6][g] = min(M[6][g], t)
      if q > 0 and #list > 1 and quota(q).conf.shared == 1 and not claims[q] then claims[q] = t end
    end
  end
  for n = 1, #list do
    local t = list[n]
    local h, told = blocked[n] or NOBODY, M[8][t]
    M[7][t] = h
    if h[1] ~= '' and (told[1] ~= h[1] or told[2] ~= h[2] or h[3] + NOTABLE < told[3]) then
      M[8][t] = h
      wakes[h[1]] = true
    end
  end
end

local alive = call('ZCARD', LEASES)
if mode == 2 then
  for g in pairs(dirty) do M[6][g] = now end -- for who comes next
else
  for g = 1, #C.groups do
    if M[6][g] <= now then dirty[g] = true end
  end
  local again = true
  while again do
    again = false
    for g = 1, #C.groups do
      if dirty[g] then
        again = true
        settleGroup(g)
      end
    end
  end
end

-- The answer.
local woken = {}
for n in pairs(wakes) do
  if n ~= me or status ~= 0 then
    table.insert(woken, n)
    call('PUBLISH', key('wake', n), '')
  end
end
table.sort(woken)
local reply = { status, now, clock, M[2], alive, woken }
if mode ~= 2 and status == 0 and call('EXISTS', key('member', me)) == 1 then
  local grants, heads = {}, {}
  for _, v in ipairs(call('LRANGE', key('box', me), 0, -1)) do
    local g = unpack_(v)
    g[4] = g[4] - 1
    for _, f in ipairs(g) do table.insert(grants, f) end
  end
  for t = 1, C.targets do
    local h = M[7][t]
    if h[1] == me then
      M[8][t] = h
      for _, f in ipairs({ t - 1, h[2], h[3], h[4] }) do table.insert(heads, f) end
    elseif h[1] ~= '' then
      for _, f in ipairs({ t - 1, 0, NEVER, h[4] }) do table.insert(heads, f) end
    end
  end
  reply[7], reply[8] = grants, heads
  if known ~= M[4] then
    local rests, gates = {}, {}
    for q = 1, C.quotas do
      local x = quota(q)
      if x.s[18] > now then
        table.insert(rests, q - 1)
        table.insert(rests, x.s[18])
      end
    end
    for t = 1, C.targets do
      local s = target(t).s
      for _, i in ipairs({ 2, 1, 7, 8 }) do table.insert(gates, s[i]) end
    end
    reply[9], reply[10], reply[11], reply[12] = M[4], M[5], rests, gates
  end
end

-- Writing back.
local fields = { 'M', pack(M) }
for t, x in pairs(targets) do
  if x.changed then
    table.insert(fields, 't' .. t)
    table.insert(fields, pack(x.s))
  end
end
for q, x in pairs(quotas) do
  if x.changed then
    table.insert(fields, 'q' .. q)
    table.insert(fields, pack(x.s))
  end
end
put(BOOKS, fields)
local list = {}
for f in pairs(touched) do
  table.insert(list, f)
  table.insert(list, int(bins[f][1]) .. ' ' .. int(bins[f][2]))
end
put(BINS, list)
for _, k in ipairs({ BOOKS, BINS, LEASES }) do keep(k) end
if #ARGV < 10 then -- a message with nothing to do has time for what else is still in use
  keep(key('member', me))
  keep(key('box', me))
  for t = 1, C.targets do
    keep(key('line', t))
    keep(key('samples', t))
  end
end
for k in pairs(kept) do call('EXPIRE', k, KEEP) end
return reply
