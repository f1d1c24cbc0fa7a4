import Dispatch
import Foundation
import OAuthServer
import Synchronization
import TestSupport
import TokenStorage

/// The store that is put to the test, as it is named on the command line. One more kind is one more case here: what is
/// killed and what must hold is the same for all of them.
enum CrashStore {
    case sqlite(path: String)
    /// By the path of the server's socket.
    case redis(path: String)

    init?(_ text: String) {
        if text.hasPrefix("sqlite:") {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else if text.hasPrefix("redis:") {
            self = .redis(path: String(text.dropFirst("redis:".count)))
        } else {
            return nil
        }
    }

    func open() throws -> any TokenStore {
        switch self {
        case .redis(let path): return RedisTokenStore(channel: SocketChannel(path: path), keyPrefix: "crash:")
        case .sqlite(let path):
            #if SQLite
                let queue = DispatchQueue(label: "store")
                return try SQLiteTokenStore(path: path, patience: 10_000) { queue.async(execute: $0) }
            #else
                throw CrashFailure.notBuiltIn(path)
            #endif
        }
    }
}

enum CrashFailure: Error {
    case notBuiltIn(String)
    case unexpected(StoreAnswer)
}

extension TokenStore {
    /// Asks, and waits for the answer.
    func ask(_ operation: StoreOperation) throws -> StoreAnswer {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<StoreAnswer, StoreFailure>>(.failure(.timedOut))
        perform(operation, now: Int64(Date().timeIntervalSince1970)) { answer in
            result.withLock { $0 = answer }
            done.signal()
        }
        done.wait()
        return try result.withLock { $0 }.get()
    }

    func records(application: String? = nil) throws -> [TokenRecord] {
        let answer = try ask(.list(application: application, subject: nil, limit: 1_000_000))
        guard case .records(let records) = answer else { throw CrashFailure.unexpected(answer) }
        return records
    }
}

extension TokenRecord {
    /// A pair that lives for longer than any test, with digests made up of the name of its access token.
    static func pair(slot: String, family: String = AccessTokenMinter.randomID()) -> TokenRecord {
        let now = Int64(Date().timeIntervalSince1970)
        let name = AccessTokenMinter.randomID()
        var record = TokenRecord(
            id: family, kind: .pair, application: slot, subject: "joe", tokenID: name, accessExpiresAt: now + 86_400,
            issuedAt: now)
        record.slot = slot
        record.refreshDigest = refreshDigest(of: name)
        record.refreshExpiresAt = now + 172_800
        return record
    }

    static func refreshDigest(of name: String) -> [UInt8] { Array("refresh \(name)".utf8) }
}
