#!lua flags=allow-oom
-- Settles a key: over the caller's pending or held record, over a tombstone, or
-- where there is nothing.
--
-- KEYS[1]  the record, and the channel that tells of its changes
-- ARGV[1]  the value to write, a done or held record
-- ARGV[2]  its life in milliseconds
--
-- Reply: 1 where the key is settled by the caller, else {value, PTTL} of what
-- is there. Sent again it writes nothing.

local key, record = KEYS[1], ARGV[1]
local value = redis.call('GET', key)
-- Version 1 of the record: state at byte 2, token at 3 to 18. The first compare
-- is for the common case alone.
if value and string.sub(value, 1, 18) ~= '\1P' .. string.sub(record, 3, 18) then
  local known = string.byte(value, 1) == 1
  local state = string.sub(value, 2, 2)
  if not known or state ~= 'R' then
    if not known or string.sub(value, 3, 18) ~= string.sub(record, 3, 18) then
      return {value, redis.call('PTTL', key)}
    end
    if state == 'D' then return 1 end
  end
end
redis.call('SET', key, record, 'PX', ARGV[2])
-- A missing right to the channel must not fail the completion.
redis.pcall('SPUBLISH', key, '')
return 1
