extension RedisScript {
    /// What all scripts begin with. `KEYS[1]` is what all keys begin with, its hash tag included, and `ARGV[1]` the
    /// caller's time: the server's clock decides nothing, but for when it forgets what has long expired.
    ///
    /// | key | type | what |
    /// |---|---|---|
    /// | `record:ID` | hash | a record |
    /// | `slot:SLOT`, `access:DIGEST`, `refresh:DIGEST`, `token:TOKENID` | string | the id of its record |
    /// | `used:DIGEST` | hash | whose refresh token it was, until it would have expired |
    /// | `single:KEY` | string | until when it may not be used again |
    /// | `ends`, `issued` | sorted set | ids by the end of both tokens, and by when they were issued |
    /// | `subject:NAME`, `application:NAME` | sorted set | ids by when they were issued |
    /// | `denied`, `denied-ends` | sorted set | deny entries by their place, and by their end |
    /// | `sequence` | string | the last place given out |
    static let common = #"""
        local base, now = KEYS[1], tonumber(ARGV[1])
        local call = redis.call
        local NAMES = {'id', 'kind', 'slot', 'application', 'subject', 'token', 'access', 'access-ends', 'refresh',
          'refresh-ends', 'issued', 'scope', 'extra', 'sealed', 'attributes'}

        local function text(number) return string.format('%.0f', number) end

        -- Seconds that the server keeps what ends then: an hour more, in which the caller still finds what has expired.
        local function stay(ends) return text(math.min(math.max(ends - now, 0) + 3600, 315360000)) end

        local function record_at(first)
          local record = {}
          for i, name in ipairs(NAMES) do record[name] = ARGV[first + i - 1] end
          return record
        end

        local function load(id)
          if not id then return nil end
          local values = call('HMGET', base .. 'record:' .. id, unpack(NAMES))
          if not values[1] then return nil end
          local record = {}
          for i, name in ipairs(NAMES) do record[name] = values[i] or '' end
          return record
        end

        local function fields(record)
          local values = {}
          for i, name in ipairs(NAMES) do values[i] = record[name] end
          return values
        end

        local function find(kind, name)
          if kind == 'id' then return load(name) end
          return load(call('GET', base .. kind .. ':' .. name))
        end

        local function access_lives(record) return tonumber(record['access-ends']) > now end

        local function refresh_lives(record)
          return record.refresh ~= '' and tonumber(record['refresh-ends']) > now
        end

        -- A record stays as long as one of its tokens is good.
        local function ends_of(record)
          local ends = tonumber(record['access-ends'])
          if record.refresh ~= '' then ends = math.max(ends, tonumber(record['refresh-ends'])) end
          return ends
        end

        -- Places grow with the callers' time, so that a server that has lost the last ones gives out none of them again.
        local function deny(kind, name, subject, before, ends)
          -- A server whose memory is full refuses the first command of a script that would fill it, and none behind one
          -- that did not: a revocation is not to fail for want of memory.
          call('DEL', base .. 'none')
          local last = tonumber(call('GET', base .. 'sequence') or 0)
          local place = text(math.max(last + 1, math.min(now, 40000000000) * 100000))
          call('SET', base .. 'sequence', place)
          local entry = table.concat({place, kind, before, ends, #name, name .. subject}, ' ')
          call('ZADD', base .. 'denied', place, entry)
          call('ZADD', base .. 'denied-ends', ends, entry)
          return place
        end

        local function release(kind, name, id)
          if name == '' then return end
          local key = base .. kind .. ':' .. name
          if call('GET', key) == id then call('DEL', key) end
        end

        local function forget(id, record)
          call('ZREM', base .. 'ends', id)
          call('ZREM', base .. 'issued', id)
          if not record then return end
          call('DEL', base .. 'record:' .. id)
          call('ZREM', base .. 'subject:' .. record.subject, id)
          call('ZREM', base .. 'application:' .. record.application, id)
          for _, kind in ipairs({'slot', 'access', 'refresh', 'token'}) do release(kind, record[kind], id) end
        end

        -- Takes a record away, and with it its access token, unless another record goes on with the same one.
        local function drop(record, successor)
          forget(record.id, record)
          if not access_lives(record) then return end
          if successor and successor.token == record.token then return end
          deny('token', record.token, record.subject, '0', record['access-ends'])
        end

        local function index(kind, record, seconds)
          local key = base .. kind .. ':' .. record[kind]
          call('ZADD', key, record.issued, record.id)
          if call('TTL', key) < tonumber(seconds) then call('EXPIRE', key, seconds) end
        end

        local function put(record)
          local ends = ends_of(record)
          local seconds = stay(ends)
          local key = base .. 'record:' .. record.id
          local values = {}
          for _, name in ipairs(NAMES) do
            values[#values + 1] = name
            values[#values + 1] = record[name]
          end
          call('HSET', key, unpack(values))
          call('EXPIRE', key, seconds)
          for _, kind in ipairs({'slot', 'access', 'refresh', 'token'}) do
            if record[kind] ~= '' then call('SET', base .. kind .. ':' .. record[kind], record.id, 'EX', seconds) end
          end
          call('ZADD', base .. 'ends', text(ends), record.id)
          call('ZADD', base .. 'issued', record.issued, record.id)
          index('subject', record, seconds)
          index('application', record, seconds)
        end

        -- Whether a living access token of the same digest belongs to a record that this one does not replace.
        local function conflicts(record)
          if record.access == '' then return false end
          local other = find('access', record.access)
          if not other or not access_lives(other) or other.id == record.id then return false end
          return record.slot == '' or other.slot ~= record.slot
        end

        -- Puts a record in place of what holds its slot or its id.
        local function replace(record)
          local holder = record.slot ~= '' and find('slot', record.slot)
          if holder then drop(holder, record) end
          local earlier = load(record.id)
          if earlier then drop(earlier, record) end
          put(record)
        end

        """#
}
