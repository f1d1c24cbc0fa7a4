/// The scripts, one for each operation of a store. The operation's own arguments start at `ARGV[2]`.
extension RedisScript {
    /// A record.
    static let claim = RedisScript(
        #"""
        local record = record_at(2)
        local holder = record.slot ~= '' and find('slot', record.slot)
        if holder and access_lives(holder) then return {'record', fields(holder)} end
        if not make_way(record, holder, load(record.id)) then return {'conflict'} end
        return {'record', fields(record)}
        """#)

    /// A record.
    static let replace = RedisScript(
        #"""
        local record = record_at(2)
        local holder = record.slot ~= '' and find('slot', record.slot)
        if not make_way(record, holder, load(record.id)) then return {'conflict'} end
        return {'record', fields(record)}
        """#)

    /// Kind of key, key.
    static let find = RedisScript(
        #"""
        local record = find(ARGV[2], ARGV[3])
        return {'record', record and fields(record) or false}
        """#)

    /// Digest, application, grace period in seconds (empty if reuse is not detected), the proposed record.
    static let rotate = RedisScript(
        #"""
        local digest, application, grace, proposed = ARGV[2], ARGV[3], tonumber(ARGV[4]), record_at(5)
        local function is_heir(record) return record.id == proposed.id and record.slot == proposed.slot end
        local record = find('refresh', digest)
        if record then
          if not refresh_lives(record) or record.application ~= application or not is_heir(record) then
            return {'record', false}
          end
          if not make_way(proposed, record) then return {'conflict'} end
          if grace then use(record, record.refresh, proposed.refresh, now + grace) end
          return {'rotated', fields(record)}
        end
        local used = grace and used_refresh(digest)
        if not used or used.application ~= application or used.ends <= now then return {'record', false} end
        local given = given_for(used)
        if given then return {'record', fields(given)} end
        local family = load(used.id)
        if family then drop(family) end
        return {'reused', used.id}
        """#)

    /// Digest.
    static let successor = RedisScript(
        #"""
        local used = used_refresh(ARGV[2])
        local record = used and given_for(used)
        return {'record', record and fields(record) or false}
        """#)

    /// Kind of key, key: the record of one key.
    static let revokeOne = RedisScript(
        #"""
        local record = find(ARGV[2], ARGV[3])
        if not record then return {'removed', 0} end
        drop(record)
        return {'removed', 0, fields(record)}
        """#)

    /// `subject` or `application` and its name, whether to restrict to one application, which, limit. Returns 1 if
    /// there may be more: the records of an application are too many for one step, which blocks the server.
    static let revokeAll = RedisScript(
        #"""
        local key, only, limit = base .. ARGV[2] .. ':' .. ARGV[3], ARGV[4], tonumber(ARGV[6])
        local removed, first = {'removed', 0}, 0
        while true do
          local ids = call('ZRANGE', key, first, first + 99)
          for _, id in ipairs(ids) do
            if #removed - 2 == limit then
              removed[2] = 1
              return removed
            end
            local record = load(id)
            if not record then
              call('ZREM', key, id)
              forget(id)
            elseif only == '0' or record.application == ARGV[5] then
              drop(record)
              removed[#removed + 1] = fields(record)
            else
              first = first + 1
            end
          end
          if #ids < 100 then return removed end
        end
        """#)

    /// Kind, name, subject, issued before, until.
    static let deny = RedisScript(
        #"""
        local place = deny(ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
        return {'denied', place}
        """#)

    /// After, limit. Returns the seconds and microseconds of the server's clock unless an access list forbids it.
    static let changes = RedisScript(
        #"""
        local entries = call('ZRANGEBYSCORE', base .. 'denied', '(' .. ARGV[2], '+inf', 'LIMIT', 0, ARGV[3])
        local time = redis.pcall('TIME')
        return {'changes', call('GET', base .. 'sequence') or '0', entries, time[1] or '', time[2] or ''}
        """#)

    /// Key, until.
    static let remember = RedisScript(
        #"""
        local key = base .. 'single:' .. ARGV[2]
        local ends = call('GET', key)
        if ends and tonumber(ends) > now then return {'fresh', 0} end
        call('SET', key, ARGV[3], 'EX', stay(tonumber(ARGV[3])))
        return {'fresh', 1}
        """#)

    /// Name, and for a replacement the known text and the new one.
    static let document = RedisScript(
        #"""
        local key = base .. ARGV[2]
        if ARGV[4] and (call('GET', key) or '') == ARGV[3] then call('SET', key, ARGV[4]) end
        return {call('GET', key) or ''}
        """#)

    /// Ids, each with the time of its record's use and the least end of its access token.
    static let touch = RedisScript(
        #"""
        local count = 0
        for i = 2, #ARGV, 3 do
          local key = base .. 'record:' .. ARGV[i]
          if call('EXISTS', key) == 1 then
            count = count + 1
            local used = call('HGET', key, 'used')
            if not used or used == '' or tonumber(used) < tonumber(ARGV[i + 1]) then
              call('HSET', key, 'used', ARGV[i + 1])
            end
            if tonumber(call('HGET', key, 'access-ends')) < tonumber(ARGV[i + 2]) then
              local record = load(ARGV[i])
              record['access-ends'] = ARGV[i + 2]
              put(record)
            end
          end
        end
        return {'touched', count}
        """#)

    /// Limit. Single-use keys expire by themselves. Returns the count, then 1 if nothing remains.
    static let clean = RedisScript(
        #"""
        local limit, count, most = ARGV[2], 0, 0
        local function ended(set)
          local all = call('ZRANGEBYSCORE', base .. set, '-inf', text(now), 'LIMIT', 0, limit)
          most = math.max(most, #all)
          return ipairs(all)
        end
        for _, id in ended('ends') do
          forget(id, load(id))
          count = count + 1
        end
        for _, digest in ended('used-ends') do
          call('ZREM', base .. 'used-ends', digest)
          call('DEL', base .. 'used:' .. digest)
        end
        for _, entry in ended('denied-ends') do
          call('ZREM', base .. 'denied', entry)
          call('ZREM', base .. 'denied-ends', entry)
        end
        return {'cleaned', count, most < tonumber(limit) and 1 or 0}
        """#)

    /// Index, whether to restrict to one application, which, total limit, limit per reply, and the cursor: score and
    /// id, empty at the beginning. Returns the next cursor first; empty at the end. A record that exists throughout is
    /// listed exactly once.
    static let list = RedisScript(
        #"""
        local key, only, limit, page, score, last = base .. ARGV[2], ARGV[3], tonumber(ARGV[5]), tonumber(ARGV[6]),
          ARGV[7], ARGV[8]
        local found, first, bytes = {'records', ''}, 0, 0

        -- As the server sorts: `<` uses its locale.
        local function is_behind(one, other)
          for i = 1, math.min(#one, #other) do
            if one:byte(i) ~= other:byte(i) then return one:byte(i) > other:byte(i) end
          end
          return #one > #other
        end

        while true do
          local ids = call('ZRANGEBYSCORE', key, score == '' and '-inf' or score, '+inf', 'WITHSCORES', 'LIMIT',
            text(first), '100')
          for i = 1, #ids, 2 do
            local record = (ids[i + 1] ~= score or is_behind(ids[i], last)) and load(ids[i])
            if record and (only == '0' or record.application == ARGV[4]) then
              found[#found + 1] = fields(record)
              bytes = bytes + #record.attributes + #record.sealed
              if #found - 2 >= limit then return found end
              if #found - 2 >= page or bytes > 1048576 then
                found[2] = ids[i + 1] .. ' ' .. ids[i]
                return found
              end
            end
          end
          if #ids < 200 then return found end
          first = first + 100
        end
        """#)

    /// Cursor, about how many.
    static let survey = RedisScript(
        #"""
        local step = call('ZSCAN', base .. 'issued', ARGV[2], 'COUNT', ARGV[3])
        local found = {'surveyed', step[1]}
        for i = 1, #step[2], 2 do
          local record = load(step[2][i])
          if record then found[#found + 1] = fields(record) end
        end
        return found
        """#)

    /// Id, sealed data and digests of the access and the refresh token as they are, then the same as they become.
    static let rekey = RedisScript(
        #"""
        local record, moved = load(ARGV[2]), load(ARGV[2])
        if not record or record.sealed ~= ARGV[3] or record.access ~= ARGV[4] or record.refresh ~= ARGV[5] then
          return {'touched', 0}
        end
        moved.id, moved.sealed, moved.access, moved.refresh = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
        if moved.id ~= record.id and load(moved.id) or not make_way(moved, record) then return {'touched', 0} end
        return {'touched', 1}
        """#)
}
