extension RedisScript {
    /// Common beginning of all scripts. `KEYS[1]` is the prefix of all keys, including its hash tag; `ARGV[1]` is the
    /// caller's time. The server's clock is used only to remove keys long after they expired.
    ///
    /// | key | type | value |
    /// |---|---|---|
    /// | `record:ID` | hash | a record |
    /// | `slot:SLOT`, `access:DIGEST`, `refresh:DIGEST`, `token:TOKENID` | string | the id of its record |
    /// | `used:DIGEST` | hash | family and successor of a used refresh token, kept until it would have expired |
    /// | `single:KEY` | string | until when it must not be used again |
    /// | `used-ends` | sorted set | digests of used refresh tokens by their expiry |
    /// | `ends` | sorted set | ids by the expiry of both tokens |
    /// | `issued`, `subject:NAME`, `application:NAME` | sorted set | ids, latest issued first |
    /// | `denied`, `denied-ends` | sorted set | deny entries by sequence number, and by expiry |
    /// | `sequence` | string | the last assigned sequence number |
    /// | `signing-keys:ALGORITHM` | string | the gateways' signing keys, sealed |
    static let common = #"""
        local base, now = KEYS[1], tonumber(ARGV[1])
        local call = redis.call
        local NAMES = {'id', 'kind', 'slot', 'application', 'subject', 'token', 'access', 'access-ends', 'refresh',
          'refresh-ends', 'issued', 'scope', 'extra', 'sealed', 'attributes', 'used'}

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

        -- Under several keys each digest of a token stands behind the 8 bytes of its key's name.
        local function digests(name)
          if #name <= 32 then return {name} end
          local all = {}
          for first = 9, #name, 40 do all[#all + 1] = name:sub(first, first + 31) end
          return all
        end

        -- The family of a refresh token is found by one that was exchanged, too.
        local function find(kind, name)
          if kind == 'id' then return load(name) end
          if kind == 'slot' or kind == 'token' then return load(call('GET', base .. kind .. ':' .. name)) end
          if kind == 'names' then
            for id in name:gmatch('%S+') do
              local record = load(id)
              if record then return record end
            end
            return nil
          end
          local index = kind == 'access' and 'access:' or 'refresh:'
          for _, digest in ipairs(digests(name)) do
            local record = load(call('GET', base .. index .. digest))
              or kind == 'family' and load(call('HGET', base .. 'used:' .. digest, 'id'))
            if record then return record end
          end
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

        -- Places grow with the callers' time, in hundred thousandths of a second since 2026, so that a server that has
        -- lost the last ones gives out none of them again.
        local function deny(kind, name, subject, before, ends)
          -- A server whose memory is full refuses the first command of a script that would fill it, and none behind one
          -- that did not: a revocation is not to fail for want of memory.
          call('DEL', base .. 'none')
          local last = tonumber(call('GET', base .. 'sequence') or 0)
          local place = text(math.max(last + 1, (math.min(now, 40000000000) - 1767225600) * 100000))
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

        -- Takes a record away, and with it its access token, unless its heir goes on with the same one.
        local function drop(record, heir)
          forget(record.id, record)
          if record.token == '' or not access_lives(record) then return end
          if heir and heir.token == record.token then return end
          deny('token', record.token, record.subject, '0', record['access-ends'])
        end

        local function index(kind, record, seconds)
          local key = base .. kind .. ':' .. record[kind]
          call('ZADD', key, text(-record.issued), record.id)
          if call('TTL', key) < tonumber(seconds) then call('EXPIRE', key, seconds) end
        end

        -- A record has the first digest of each of its tokens.
        local function put(record)
          record.access, record.refresh = digests(record.access)[1], digests(record.refresh)[1]
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
          call('ZADD', base .. 'issued', text(-record.issued), record.id)
          index('subject', record, seconds)
          index('application', record, seconds)
        end

        -- Puts a record in place of those that leave. Answers false, with nothing changed, where one that stays has the
        -- same token.
        local function make_way(record, holder, namesake)
          local leaving, leaves = {}, {}
          local function leave(one)
            if not one or leaves[one.id] then return end
            leaves[one.id] = true
            leaving[#leaving + 1] = one
          end
          leave(holder)
          leave(namesake)
          for _, kind in ipairs({'access', 'token', 'refresh'}) do
            local rival = record[kind] ~= '' and find(kind, record[kind])
            if rival and not leaves[rival.id] then
              if kind == 'refresh' or access_lives(rival) then return false end
              leave(rival)
            end
          end
          for _, one in ipairs(leaving) do drop(one, record) end
          put(record)
          return true
        end

        -- Remembers the refresh token of a record that was used, with the digest of what was given for it.
        local function use(record, digest, successor, grace)
          local key, ends = base .. 'used:' .. digest, record['refresh-ends']
          call('HSET', key, 'id', record.id, 'application', record.application, 'ends', ends, 'successor', successor,
            'grace', text(grace))
          call('EXPIRE', key, stay(tonumber(ends)))
          call('ZADD', base .. 'used-ends', ends, digest)
        end

        -- Nothing is known of a successor that an earlier version has used.
        local function used_refresh(name)
          for _, digest in ipairs(digests(name)) do
            local known = call('HMGET', base .. 'used:' .. digest, 'id', 'application', 'ends', 'successor', 'grace')
            if known[1] then
              return {digest = digest, id = known[1], application = known[2], ends = tonumber(known[3]),
                successor = known[4] or '', grace = tonumber(known[5] or 0)}
            end
          end
        end

        -- The record that took the place of a used refresh token, as long as its holder may come again.
        local function given_for(used)
          local record = used.grace > now and find('refresh', used.successor)
          if record and record.id == used.id and refresh_lives(record) then return record end
        end

        """#
}
