#!lua flags=allow-oom
-- Gives a key back: deletes the caller's pending or held record, or leaves a
-- tombstone in its place.
--
-- KEYS[1]  the record, and the channel that tells of its changes
-- ARGV[1]  the tombstone, a released record
-- ARGV[2]  its life in milliseconds
-- ARGV[3]  1 to leave the tombstone, also where there is nothing; else 0
--
-- Reply: 1 where the key is not the caller's any more, else {value, PTTL} of
-- what is there. Sent again it writes nothing.

local value = redis.call('GET', KEYS[1])
local trace = ARGV[3] == '1'
if value then
  -- Version 1 of the record: state at byte 2, token at 3 to 18.
  local known = string.byte(value, 1) == 1
  local state = string.sub(value, 2, 2)
  if known and state == 'R' then return 1 end
  if not known or (state ~= 'P' and state ~= 'H') or string.sub(value, 3, 18) ~= string.sub(ARGV[1], 3, 18) then
    return {value, redis.call('PTTL', KEYS[1])}
  end
elseif not trace then
  return 1
end
if trace then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
else
  redis.call('DEL', KEYS[1])
end
-- A missing right to the channel must not fail the release.
redis.pcall('SPUBLISH', KEYS[1], '')
return 1
