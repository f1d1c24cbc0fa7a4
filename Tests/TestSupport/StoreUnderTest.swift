import Dispatch
import Foundation
import Synchronization
import TokenStorage

/// The stores that the conformance suite is run against. One more store is one more case here.
package enum StoreUnderTest: String, CaseIterable, Sendable {
    case memory
    #if SQLite
        case sqlite
    #endif
    case redis

    /// Those whose contents outlive the process and are shared by all who open them.
    package static var shared: [StoreUnderTest] { allCases.filter { $0 != .memory } }

    /// An empty store of its own, for the time of a test.
    package func with<Result>(_ body: (StorePlace) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "portcullis-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(StorePlace(of: self, in: directory))
    }

    /// The same, opened.
    package func withStore<Result>(_ body: (any TokenStore) async throws -> Result) async throws -> Result {
        try await with { place in try await body(place.open()) }
    }
}

/// Where a store is kept: it can be opened more than once, as several processes do.
package struct StorePlace: Sendable {
    package let path: String
    private let subject: StoreUnderTest

    package init(of subject: StoreUnderTest, in directory: URL) {
        self.subject = subject
        path = directory.appending(path: "tokens.sqlite").path
    }

    package func open() throws -> any TokenStore {
        switch subject {
        case .memory: return MemoryTokenStore()
        #if SQLite
            case .sqlite:
                let queue = DispatchQueue(label: "store")
                return try SQLiteTokenStore(path: path, patience: 5000) { queue.async(execute: $0) }
        #endif
        case .redis:
            // A server for all, in which each place has keys of its own.
            return RedisTokenStore(
                channel: SocketChannel(path: try RedisProcess.shared.get().socketPath), keyPrefix: path)
        }
    }
}

extension TokenStore {
    /// Asks and waits. Time is 1000 unless the test says otherwise.
    package func ask(_ operation: StoreOperation, now: Int64 = 1000) async throws -> StoreAnswer {
        try await withCheckedContinuation { (continuation: CheckedContinuation<_, Never>) in
            perform(operation, now: now) { continuation.resume(returning: $0) }
        }.get()
    }

    /// All deny entries.
    package func denied() async throws -> [DenyEntry] {
        guard case .changes(let changes, _) = try await ask(.changes(after: 0, limit: 100_000)) else { return [] }
        return changes.map(\.entry)
    }

    package func records() async throws -> [TokenRecord] {
        guard case .records(let records) = try await ask(.list(application: nil, subject: nil, limit: 100_000)) else {
            return []
        }
        return records
    }
}

/// A record with everything in it. Digests are made up of its id.
package func record(
    _ id: String, slot: String = "", application: String = "shop", subject: String = "joe", access: Int64 = 2000,
    refresh: Int64? = 3000, issuedAt: Int64 = 1000
) -> TokenRecord {
    var record = TokenRecord(
        id: id, kind: .pair, application: application, subject: subject, tokenID: "token of \(id)",
        accessExpiresAt: access, issuedAt: issuedAt)
    record.slot = slot
    record.accessDigest = digest("access \(id)")
    if let refresh {
        record.refreshDigest = digest("refresh \(id)")
        record.refreshExpiresAt = refresh
    }
    record.scope = "read write"
    record.extra = "phone"
    record.sealed = [0, 1, 255]
    record.attributes = Array("{}".utf8)
    return record
}

/// 32 bytes that stand for a keyed digest of a text.
package func digest(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(32))
    return bytes + Array(repeating: 0, count: 32 - bytes.count)
}

/// The next pair of the same family.
package func successor(of record: TokenRecord, _ name: String, issuedAt: Int64 = 1500) -> TokenRecord {
    var next = record
    next.tokenID = "token of \(name)"
    next.accessDigest = digest("access \(name)")
    next.refreshDigest = digest("refresh \(name)")
    next.issuedAt = issuedAt
    return next
}
