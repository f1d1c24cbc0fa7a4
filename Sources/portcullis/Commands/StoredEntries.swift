import Bytes
import PortcullisClient

/// What `portcullis cred` and `portcullis client cred` do with a credential store.
struct StoredEntries {
    let store: CredentialStore

    /// Adds or replaces an entry, with the password from standard input.
    func put(_ url: String, user: String?, tenant: String?) throws(ExitStatus) {
        let password = try NewPassword.read()
        try ExitStatus.rethrowing { () throws(ClientError) in
            try store.add(StoredCredential(url: url, tenant: tenant, user: user, password: password))
        }
    }

    /// Prints an entry as JSON; null is what was deleted.
    func get(_ url: String, tenant: String?) throws(ExitStatus) {
        let found = try ExitStatus.rethrowing { () throws(ClientError) in
            try store.credential(url: url, tenant: tenant)
        }
        guard let entry = found else {
            Terminal.complain("portcullis: no credential for \(url)")
            throw .failed
        }
        print([
            ("url", entry.url, isWanted: true), ("tenant", entry.tenant, isWanted: false),
            ("user", entry.user, isWanted: true), ("password", entry.password, isWanted: true),
        ])
    }

    func delete(_ url: String, tenant: String?) throws(ExitStatus) {
        try ExitStatus.rethrowing { () throws(ClientError) in try store.delete(url: url, tenant: tenant) }
    }

    func set(_ property: StoredProperty) throws(ExitStatus) {
        try ExitStatus.rethrowing { () throws(ClientError) in try store.store(property) }
    }

    func show(_ key: String) throws(ExitStatus) {
        let found = try ExitStatus.rethrowing { () throws(ClientError) in try store.property(key) }
        guard let property = found else {
            Terminal.complain("portcullis: no value for \(key)")
            throw .failed
        }
        print([
            ("key", property.key, isWanted: true), ("value", property.value, isWanted: true),
            ("label", property.label, isWanted: false), ("description", property.description, isWanted: false),
        ])
    }

    /// - Parameter members: a wanted one is null where it has no value; another one is left out.
    private func print(_ members: [(name: String, value: String?, isWanted: Bool)]) {
        var writer = JSONWriter()
        writer.beginObject()
        for member in members where member.isWanted || member.value != nil {
            writer.name(member.name)
            if let value = member.value { writer.value(value) } else { writer.null() }
        }
        writer.endObject()
        Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension ExitStatus {
    /// Runs something of the client library; complains of its error.
    static func rethrowing<Value>(_ body: () throws(ClientError) -> Value) throws(ExitStatus) -> Value {
        do throws(ClientError) {
            return try body()
        } catch {
            throw complaint(error)
        }
    }

    /// The same for what waits for others: this thread waits with it.
    static func waiting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(ClientError) -> Value
    ) throws(ExitStatus) -> Value {
        let answer = Answer<Result<Value, ClientError>>()
        Task {
            do throws(ClientError) {
                answer.put(.success(try await body()))
            } catch {
                answer.put(.failure(error))
            }
        }
        switch answer.take() {
        case .success(let value): return value
        case .failure(let error): throw complaint(error)
        }
    }

    private static func complaint(_ error: ClientError) -> ExitStatus {
        Terminal.complain("portcullis: \(error.description)")
        return .failed
    }
}
