#!lua flags=allow-oom
-- Starts the life of the caller's pending record afresh, or writes it where
-- there is none.
--
-- KEYS[1]  the record
-- ARGV[1]  the pending record
-- ARGV[2]  its life in milliseconds
--
-- Reply: 1 where the record is the caller's, else {value, PTTL} of what is
-- there.

local value = redis.call('GET', KEYS[1])
if not value then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
-- Version, state and token are bytes 1 to 18.
if string.sub(value, 1, 18) ~= string.sub(ARGV[1], 1, 18) then
  return {value, redis.call('PTTL', KEYS[1])}
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
