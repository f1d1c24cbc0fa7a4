import Foundation
import TestSupport
import Testing
import TokenStorage

/// What a server lets the store do, and what its replicas are asked for.
@Suite struct RedisAccessTests {
    private func code(_ result: Result<RESPValue, StoreFailure>) -> String? { (try? result.get())?.errorCode }

    /// The line of the page about the store that begins with `user portcullis`.
    private func documentedAccess() throws -> [String] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/docs/store.md").standardized.path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("user portcullis ") })
        return line.split(separator: " ").map(String.init)
    }

    @Test("the access list of the documents lets the store do all that it does, and nothing else")
    func accessList() async throws {
        var words = try documentedAccess()
        let place = try #require(words.firstIndex(of: ">PASSWORD"))
        words[place] = ">secret"
        let server = try RedisProcess([words])
        let channel = SocketChannel(path: server.socketPath)
        #expect(channel.ask("AUTH", "portcullis", "secret") == .success(.status(Array("OK".utf8))))
        let store = RedisTokenStore(channel: channel, keyPrefix: "portcullis:", replicas: 0)
        let first = record("a", slot: "s")
        _ = try await store.ask(.claim(first))
        _ = try await store.ask(.replace(record("b", slot: "t")))
        let rotation = StoreOperation.rotate(
            refresh: digest("refresh a"), application: "shop", proposed: successor(of: first, "a2"),
            reuse: .detected(graceSeconds: 100))
        _ = try await store.ask(rotation)
        #expect(try await store.ask(.successor(of: digest("refresh a"))) != .record(nil))
        _ = try await store.ask(rotation)
        _ = try await store.ask(rotation, now: 1900)
        _ = try await store.ask(.find(.id("b")))
        _ = try await store.ask(.remember(key: "k", until: 2000))
        _ = try await store.ask(.touch([TokenUse(id: "b", usedAt: 1100)]))
        _ = try await store.ask(.deny(.token("t", until: 2000)))
        #expect(try await store.denied().count > 2)
        #expect(try await store.records().map(\.id) == ["b"])
        _ = try await store.ask(.revoke(.id("b")))
        _ = try await store.ask(.insert(record("c")))
        _ = try await store.ask(.revoke(.subject(application: nil, subject: "joe")))
        _ = try await store.ask(.revoke(.application("shop")))
        _ = try await store.ask(.clean(limit: 9), now: 9000)
        for words in [["PING"], ["SELECT", "1"], ["WAIT", "0", "1"]] {
            let reply: Result<RESPValue, StoreFailure> =
                words.count == 1
                ? channel.ask(words[0])
                : words.count == 2 ? channel.ask(words[0], words[1]) : channel.ask(words[0], words[1], words[2])
            #expect(code(reply) == nil, "\(words)")
        }
        #expect(code(channel.ask("GET", "portcullis:sequence")) == "NOPERM")
        #expect(code(channel.ask("GET", "others")) == "NOPERM")
        #expect(code(channel.ask("FLUSHALL")) == "NOPERM")
        #expect(code(channel.ask("KEYS", "*")) == "NOPERM")
    }

    @Test("with replicas asked for, a change is answered when they have it, and fails where they don't")
    func replicas() async throws {
        let main = try RedisProcess(onPort: true)
        let copy = try RedisProcess([["replicaof", "127.0.0.1", String(main.port)]])
        func store(_ replicas: Int, _ patience: Int64) -> RedisTokenStore {
            RedisTokenStore(
                channel: SocketChannel(path: main.socketPath), keyPrefix: "portcullis:", replicas: replicas,
                patience: patience)
        }
        let patient = store(1, 20_000)
        // As soon as the replica has come, and not before.
        _ = try await patient.ask(.deny(.token("t", until: 2000)))
        #expect(try copy.ask("ZCARD", "{portcullis:}denied") == "1")
        _ = try await patient.ask(.claim(record("a", slot: "s")))
        #expect(try copy.ask("EXISTS", "{portcullis:}record:a") == "1")
        await #expect(throws: StoreFailure.notReplicated) {
            try await store(2, 50).ask(.deny(.token("u", until: 2000)))
        }
        // The server itself has it.
        #expect(try await store(0, 50).denied().count == 2)
        copy.freeze()
        await #expect(throws: StoreFailure.notReplicated) {
            try await store(1, 50).ask(.revoke(.id("a")))
        }
        #expect(try await store(1, 50).ask(.find(.id("a"))) == .record(nil), "what only reads waits for nobody")
        copy.thaw()
        _ = try await patient.ask(.deny(.token("v", until: 2000)))
        #expect(try copy.ask("ZCARD", "{portcullis:}denied") == "4")
    }
}
