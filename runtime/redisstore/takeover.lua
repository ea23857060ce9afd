#!lua
-- Takes a key over from the record that was seen, if it is still there and may
-- be taken.
--
-- KEYS[1]  the record
-- ARGV[1]  the value to write, a pending record
-- ARGV[2]  its life in milliseconds
-- ARGV[3]  the token of the record that was seen
--
-- Reply: 1 where the record is the caller's, 0 where the key has none, else
-- {value, PTTL} of what is there. Without allow-oom: a claim is refused whole when memory is out.

-- Reads the unsigned varint at a position, nil if there is none.
local function uvarint(value, at)
  local n, factor = 0, 1
  for i = at, at + 9 do
    local b = string.byte(value, i)
    if not b then return nil end
    n = n + (b % 128) * factor
    if b < 128 then return n end
    factor = factor * 128
  end
  return nil
end

-- Version 1 of the record: state at byte 2, token at 3 to 18, flags at 19 with
-- hold as the lowest bit, then the ttl, which a pending record outlives by its
-- lease.
local function claimable(value, left)
  if string.byte(value, 1) ~= 1 or string.sub(value, 3, 18) ~= ARGV[3] then return false end
  local state = string.sub(value, 2, 2)
  if state == 'R' then return true end
  if state ~= 'P' or (string.byte(value, 19) or 1) % 2 == 1 then return false end
  local ttl = uvarint(value, 20)
  return ttl ~= nil and left >= 0 and left <= ttl
end

local value = redis.call('GET', KEYS[1])
if not value then return 0 end
if string.sub(value, 1, 18) == string.sub(ARGV[1], 1, 18) then return 1 end
local left = redis.call('PTTL', KEYS[1])
if not claimable(value, left) then return {value, left} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
