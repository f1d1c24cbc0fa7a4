import Bytes

/// Semantics of the operations, shared by the stores whose tables are in this process.
extension TokenTable {
    func perform(_ operation: StoreOperation, now: Int64) throws(StoreFailure) -> StoreAnswer {
        switch operation {
        case .claim(let record): return try claim(record, now)
        case .replace(let record), .insert(let record): return try put(record, now)
        case .find(let key): return .record(try anyRecord(key))
        case .rotate(let digest, let application, let proposed, let reuse):
            return try rotate(digest, application, proposed, reuse, now)
        case .successor(let digest):
            guard let used = try anyUsedRefresh(digest) else { return .record(nil) }
            return .record(try given(for: used.token, now))
        case .revoke(let selector): return .removed(try revoke(selector, now))
        case .deny(let entry): return .denied(sequence: try append(entry))
        case .changes(let sequence, let limit):
            return .changes(try changes(after: sequence, limit: limit), latest: try latestSequence())
        case .remember(let key, let until):
            if let taken = try singleUse(key), taken > now { return .fresh(false) }
            try remember(singleUse: key, until: until)
            return .fresh(true)
        case .touch(let uses):
            var count = 0
            for use in uses where try touch(use) { count += 1 }
            return .touched(count)
        case .clean(let limit):
            let dropped = try clean(limit: limit, now: now)
            return .cleaned(dropped.records, isDone: dropped.most < limit)
        case .list(let application, let subject, let limit):
            return .records(try records(application: application, subject: subject, limit: limit))
        case .survey(let place, let limit):
            let found = try survey(from: place, limit: limit)
            return .surveyed(found.records, next: found.next)
        case .rekey(let old, let new): return .touched(try rekey(old, new, now) ? 1 : 0)
        }
    }

    /// The record with one of the digests.
    private func anyRecord(_ key: TokenKey) throws(StoreFailure) -> TokenRecord? {
        for single in key.singleKeys { if let record = try record(single) { return record } }
        return nil
    }

    /// The used refresh token with one of the digests, and this digest.
    private func anyUsedRefresh(_ list: [UInt8]) throws(StoreFailure) -> (token: UsedRefresh, digest: [UInt8])? {
        for digest in DigestList.digests(in: list) {
            if let used = try usedRefresh(digest) { return (used, digest) }
        }
        return nil
    }

    private func rekey(_ old: TokenRecord, _ new: TokenRecord, _ now: Int64) throws(StoreFailure) -> Bool {
        guard let record = try record(.id(old.id)), record.sealed == old.sealed,
            record.accessDigest == old.accessDigest, record.refreshDigest == old.refreshDigest
        else { return false }
        if new.id != old.id, try self.record(.id(new.id)) != nil { return false }
        var rekeyed = record
        (rekeyed.id, rekeyed.sealed) = (new.id, new.sealed)
        (rekeyed.accessDigest, rekeyed.refreshDigest) = (new.accessDigest, new.refreshDigest)
        return try makeWay(for: rekeyed, [record], now)
    }

    private func claim(_ proposed: TokenRecord, _ now: Int64) throws(StoreFailure) -> StoreAnswer {
        // AOM-06: "You get the existing tokens while the old one is still valid."
        if !proposed.slot.isEmpty, let holder = try record(inSlot: proposed.slot), holder.accessLives(at: now) {
            return .record(holder)
        }
        return try put(proposed, now)
    }

    private func put(_ proposed: TokenRecord, _ now: Int64) throws(StoreFailure) -> StoreAnswer {
        var leaving: [TokenRecord] = []
        if !proposed.slot.isEmpty, let holder = try record(inSlot: proposed.slot) { leaving.append(holder) }
        if let namesake = try record(.id(proposed.id)) { leaving.append(namesake) }
        guard try makeWay(for: proposed, leaving, now) else { return .conflict }
        return .record(proposed.stored)
    }

    /// AOM-13, AOM-14: rotation ends the used refresh token and its access token.
    private func rotate(
        _ digest: [UInt8], _ application: String, _ proposed: TokenRecord, _ reuse: ReuseRule, _ now: Int64
    ) throws(StoreFailure) -> StoreAnswer {
        guard let old = try anyRecord(.refresh(digest)) else {
            if case .ignored = reuse { return .record(nil) }
            return try rotateAgain(digest, application, now)
        }
        // AOM-12: a refresh token is bound to the application that it was issued to.
        guard old.refreshLives(at: now), old.application.isExactly(application),
            proposed.isHeir(of: old)
        else { return .record(nil) }
        guard try makeWay(for: proposed, [old], now) else { return .conflict }
        if case .detected(let graceSeconds) = reuse {
            try remember(
                UsedRefresh(old, successor: proposed.stored.refreshDigest, graceUntil: now + graceSeconds),
                digest: old.refreshDigest ?? digest)
        }
        return .rotated(old)
    }

    /// RFC 9700 section 4.14.2: one of the two users of a refresh token is not its owner, unless the answer was lost.
    private func rotateAgain(
        _ digest: [UInt8], _ application: String, _ now: Int64
    ) throws(StoreFailure) -> StoreAnswer {
        guard let used = try anyUsedRefresh(digest)?.token, used.until > now, used.application.isExactly(application)
        else { return .record(nil) }
        if let successor = try given(for: used, now) { return .record(successor) }
        _ = try revoke(.id(used.family), now)
        return .reused(family: used.family)
    }

    /// The successor of a used refresh token within its grace period.
    private func given(for used: UsedRefresh, _ now: Int64) throws(StoreFailure) -> TokenRecord? {
        guard used.graceUntil > now, let record = try record(.refresh(used.successor)), record.refreshLives(at: now),
            record.id.isExactly(used.family)
        else { return nil }
        return record
    }

    private func revoke(_ selector: TokenSelector, _ now: Int64) throws(StoreFailure) -> [TokenRecord] {
        var leaving: [TokenRecord]
        switch selector {
        case .one(let key): leaving = try anyRecord(key).map { [$0] } ?? []
        case .subject(let application, let subject):
            leaving = try records(application: application, subject: subject, limit: .max)
        case .application(let application):
            leaving = try records(application: application, subject: nil, limit: .max)
        }
        for record in leaving { try expel(record, now) }
        return leaving
    }

    /// Replaces the leaving records by this one. Returns false, without changes, if a remaining record has one of its
    /// tokens.
    private func makeWay(
        for proposed: TokenRecord, _ leaving: [TokenRecord], _ now: Int64
    ) throws(StoreFailure) -> Bool {
        var leaving = leaving
        for (rival, isRefresh) in try rivals(of: proposed) {
            if leaving.contains(where: { $0.id.isExactly(rival.id) }) { continue }
            if isRefresh || rival.accessLives(at: now) { return false }
            leaving.append(rival)
        }
        var gone: [TokenRecord] = []
        for record in leaving where !gone.contains(where: { $0.id.isExactly(record.id) }) {
            try expel(record, now, unless: proposed.tokenID)
            gone.append(record)
        }
        try insert(proposed.stored)
        return true
    }

    /// Records that share a token with this one; true for those that share its refresh token.
    private func rivals(of record: TokenRecord) throws(StoreFailure) -> [(TokenRecord, Bool)] {
        var rivals: [(TokenRecord, Bool)] = []
        if let digest = record.accessDigest, let rival = try anyRecord(.access(digest)) {
            rivals.append((rival, false))
        }
        if !record.tokenID.isEmpty, let rival = try self.record(.tokenID(record.tokenID)) {
            rivals.append((rival, false))
        }
        if let digest = record.refreshDigest, let rival = try anyRecord(.refresh(digest)) {
            rivals.append((rival, true))
        }
        return rivals
    }

    /// Removes a record. Denies its access token if still valid, unless another record continues it.
    private func expel(
        _ record: TokenRecord, _ now: Int64, unless heir: String = ""
    ) throws(StoreFailure) {
        try remove(record)
        guard record.accessLives(at: now), !record.tokenID.isEmpty, !record.tokenID.isExactly(heir)
        else { return }
        _ = try append(.token(record.tokenID, subject: record.subject, until: record.accessExpiresAt))
    }
}

extension TokenRecord {
    /// Whether this record may replace another one by rotation.
    fileprivate func isHeir(of old: TokenRecord) -> Bool {
        id.isExactly(old.id) && slot.isExactly(old.slot)
    }
}

extension UsedRefresh {
    fileprivate init(_ record: TokenRecord, successor: [UInt8]?, graceUntil: Int64) {
        self.init(
            family: record.id, application: record.application, until: record.refreshExpiresAt,
            successor: successor ?? [], graceUntil: graceUntil)
    }
}

extension TokenKey {
    /// One key for each digest.
    fileprivate var singleKeys: [TokenKey] {
        switch self {
        case .access(let list): DigestList.digests(in: list).map { .access($0) }
        case .refresh(let list): DigestList.digests(in: list).map { .refresh($0) }
        case .family(let list): DigestList.digests(in: list).map { .family(ofRefresh: $0) }
        case .id, .names, .tokenID: [self]
        }
    }
}

extension TokenRecord {
    /// The record as it is stored, with a single digest of each token.
    fileprivate var stored: TokenRecord {
        var record = self
        record.accessDigest = accessDigest.map(DigestList.first)
        record.refreshDigest = refreshDigest.map(DigestList.first)
        return record
    }
}
