import Bytes
import Crypto
import Declaration
import Dispatch
import Gateway
import Glibc
import HTTP
import Reactor
import Synchronization

/// `portcullis users import`: hashes the passwords of a list on all cores, and saves each batch as it is done.
struct UserImport {
    let target: AdminTarget
    /// `-` for standard input.
    let file: String
    let scheme: String?

    func run() throws(ExitStatus) {
        let text = try FileText.given(file)
        let list = UserList(text)
        let places = list.rows.indices.filter { list.rows[$0].password != nil }
        let named = scheme == nil ? .scrypt : PasswordScheme(rawValue: scheme ?? "")
        // Only the gateway has the key of AES. It also reports the problems of a list.
        guard let named, named != .aes, list.problems.isEmpty, !places.isEmpty else {
            Listing.show(try send(text))
            return
        }
        // Hashing may take hours, so everything else is checked first.
        try send(text, isCheck: true)
        let saved = HashedPasswords(of: text, scheme: named, beside: file)
        var hashes = saved?.read() ?? [:]
        if !hashes.isEmpty, let path = saved?.path {
            Terminal.printError("portcullis: \(hashes.count) of \(places.count) passwords are in \(path) already")
        }
        try hash(places.filter { hashes[$0] == nil }, of: list, named) { made in
            saved?.append(made)
            hashes.merge(made) { $1 }
        }
        Listing.show(try send(list.csv(passwords: hashes)))
        saved?.remove()
    }

    @discardableResult
    private func send(_ list: [UInt8], isCheck: Bool = false) throws(ExitStatus) -> JSONNode? {
        var request = AdminRequest.command(
            .post, ["users"], query: [("scheme", scheme), ("check", isCheck ? "true" : nil)])
        request.contentType = "text/csv"
        request.body = list
        return try target.perform(request)
    }

    private func hash(_ password: String, _ scheme: PasswordScheme, line: Int) throws(ExitStatus) -> String {
        do throws(PasswordError) {
            return try PasswordHasher().make(Array(password.utf8).span, scheme: scheme)
        } catch {
            Terminal.printError("line \(line): \(error.text)")
            throw .failure("some lines cannot be used; nothing was written")
        }
    }

    /// - Parameter then: called with each batch of hashes.
    private func hash(
        _ places: [Int], of list: UserList, _ scheme: PasswordScheme, then: ([Int: String]) -> Void
    ) throws(ExitStatus) {
        let share = WorkerThread.processorCount * 4
        var progress = ProgressLine(of: places.count, "passwords hashed")
        progress.show(0)
        for start in stride(from: 0, to: places.count, by: share) {
            let batch = places[start..<min(start + share, places.count)]
            let results = Mutex<[Int: Result<String, ExitStatus>]>([:])
            DispatchQueue.concurrentPerform(iterations: batch.count) { i in
                let place = batch[batch.startIndex + i]
                let row = list.rows[place]
                let result: Result<String, ExitStatus>
                do throws(ExitStatus) {
                    result = .success(try hash(row.password ?? "", scheme, line: row.line))
                } catch {
                    result = .failure(error)
                }
                results.withLock { $0[place] = result }
            }
            var made: [Int: String] = [:]
            for (place, result) in results.withLock({ $0 }) { made[place] = try result.get() }
            then(made)
            progress.show(start + batch.count)
        }
        progress.end()
    }
}

/// The hashes of a list that is not imported yet, in a file beside it that only its owner can read.
private struct HashedPasswords {
    let path: String
    /// First line of the file: a digest of the list and the scheme.
    private let title: String

    /// Nil for a list from standard input.
    init?(of list: [UInt8], scheme: PasswordScheme, beside file: String) {
        guard file != "-" else { return nil }
        path = file + ".hashed"
        let digest = DigestAlgorithm.sha256.digest((list + Array(scheme.rawValue.utf8)).span)
        title = String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }

    /// Reads the hashes by row index. Those of another list are dropped.
    func read() -> [Int: String] {
        let text = (try? FileSystem.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        // The last line may have been cut off.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        var hashes: [Int: String] = [:]
        if let first = lines.first, String(first).isExactly(title) {
            for line in lines.dropFirst() {
                let parts = line.split(separator: " ", maxSplits: 1)
                if parts.count == 2, let place = Int(parts[0]) { hashes[place] = String(parts[1]) }
            }
        }
        begin()
        append(hashes)
        return hashes
    }

    /// A file with the title alone. Without it, as where it cannot be written, a second run hashes everything again.
    private func begin() {
        try? AtomicFile.replace(path, with: Array((title + "\n").utf8))
    }

    func append(_ hashes: [Int: String]) {
        let text = hashes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
        try? FileSystem.append(Array(text.utf8), to: path)
    }

    func remove() { try? FileSystem.remove(path) }
}
