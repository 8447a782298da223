/** What has to happen in Redis as a whole, or not at all. Times are of Redis' clock: those of machines differ. */
import { Script } from './redis.js';

const NOW = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/** Milliseconds after which a worker that was not heard of counts as dead, and after which it is forgotten. */
export const LOST_MS = 5000;
const FORGOTTEN_MS = 60_000;
/** Seconds for which what is known of a run stays, a week. */
const KEEP_S = 7 * 24 * 3600;
/** Events that the stream keeps, about: those that nobody reads go. */
const EVENTS = 100_000;

/**
 * A worker begins a task, unless its outcome is known. KEYS: outcomes, held, deaths, events, beats, news. ARGV: field, copy, worker, attempts, milliseconds of silence that are a death (0: none are), the event. Gives `go`; `done`; `own`, if this
 * very process has the other copy; `dead`, if too many workers died of it.
 */
export const BEGIN = new Script(`${NOW}
local outcomes, held, deaths, events, beats, news = unpack(KEYS)
local field, copy, me, attempts, silence, event = unpack(ARGV)
if redis.call('HEXISTS', outcomes, field) == 1 then return 'done' end
if redis.call('HGET', held, field .. ' ' .. (1 - copy)) == me then return 'own' end
local before = redis.call('HGET', held, field .. ' ' .. copy)
if before and before ~= me and silence ~= '0' then
  local beat = redis.call('ZSCORE', beats, before)
  if not beat or now - beat > tonumber(silence) then
    if redis.call('HINCRBY', deaths, field, 1) >= tonumber(attempts) then return 'dead' end
  end
end
redis.call('HSET', held, field .. ' ' .. copy, me)
redis.call('XADD', events, 'MAXLEN', '~', ${EVENTS}, '*', 'e', event)
redis.call('PUBLISH', news, '')
return 'go'
`);

/** An outcome; the first of a task counts. KEYS: outcomes, held, deaths, events, news. ARGV: field, copy, outcome, event. Gives 1 for the first. */
export const FINISH = new Script(`
local outcomes, held, deaths, events, news = unpack(KEYS)
local field, copy, outcome, event = unpack(ARGV)
redis.call('HDEL', held, field .. ' ' .. copy)
if redis.call('HSETNX', outcomes, field, outcome) == 0 then return 0 end
redis.call('HDEL', deaths, field)
redis.call('XADD', events, 'MAXLEN', '~', ${EVENTS}, '*', 'e', event)
for i = 1, 4 do redis.call('EXPIRE', KEYS[i], ${KEEP_S}) end
redis.call('PUBLISH', news, '')
return 1
`);

/** Whose the chunks of a result are: the first manager's that asks, or that of the next one once the first is gone. KEYS: owners. ARGV: result, manager, a manager that is gone (empty: none). Gives the owner. */
export const OWN = new Script(`
local result, me, gone = unpack(ARGV)
local owner = redis.call('HGET', KEYS[1], result)
if owner and owner ~= gone then return owner end
redis.call('HSET', KEYS[1], result, me)
redis.call('EXPIRE', KEYS[1], ${KEEP_S})
return me
`);

/** A worker lives. KEYS: workers, beats. ARGV: id, info. */
export const BEAT = new Script(`${NOW}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ${FORGOTTEN_MS})) do
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
return 1
`);

/** Who lives: ids and infos by turns. KEYS: workers, beats. */
export const ALIVE = new Script(`${NOW}
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], now - ${LOST_MS}, '+inf')) do
  local info = redis.call('HGET', KEYS[1], id)
  if info then
    table.insert(found, id)
    table.insert(found, info)
  end
end
return found
`);
