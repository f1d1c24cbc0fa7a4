import Bytes
import ClientStore

/// The actions of `portcullis cred` and `portcullis client cred` on a credential store.
struct StoredEntries {
    let store: CredentialStore

    /// Adds or replaces an entry.
    func put(_ url: String, user: String?, tenant: String?, password: String) throws(ExitStatus) {
        try ExitStatus.client(
            store.add(StoredCredential(url: url, tenant: tenant, user: user, password: password)))
    }

    /// Prints an entry as JSON. Deleted values are null.
    func get(_ url: String, tenant: String?) throws(ExitStatus) {
        guard let entry = try ExitStatus.client(store.credential(url: url, tenant: tenant)) else {
            throw .failure("no credential for \(url)")
        }
        print([
            ("url", entry.url, isOptional: false), ("tenant", entry.tenant, isOptional: true),
            ("user", entry.user, isOptional: false), ("password", entry.password, isOptional: false),
        ])
    }

    func delete(_ url: String, tenant: String?) throws(ExitStatus) {
        try ExitStatus.client(store.delete(url: url, tenant: tenant))
    }

    func set(_ property: StoredProperty) throws(ExitStatus) {
        try ExitStatus.client(store.store(property))
    }

    func show(_ key: String) throws(ExitStatus) {
        guard let property = try ExitStatus.client(store.property(key)) else { throw .failure("no value for \(key)") }
        print([
            ("key", property.key, isOptional: false), ("value", property.value, isOptional: false),
            ("label", property.label, isOptional: true), ("description", property.description, isOptional: true),
        ])
    }

    /// - Parameter members: without a value, an optional one is left out and another one is null.
    private func print(_ members: [(name: String, value: String?, isOptional: Bool)]) {
        let shown = members.filter { !$0.isOptional || $0.value != nil }
        Listing.show(.object(shown.map { ($0.name, $0.value.map { .text($0) } ?? JSONNode(.null)) }))
    }
}

extension ExitStatus {
    /// Calls the client library; prints its error.
    static func client<Value>(_ body: @autoclosure () throws(ClientError) -> Value) throws(ExitStatus) -> Value {
        do throws(ClientError) {
            return try body()
        } catch {
            // The library knows no options.
            let hint = error.code == .useProvider ? ": `portcullis client login --browser`" : ""
            throw .failure("\(error.description)\(hint)")
        }
    }

    /// The same for an asynchronous call, for which this thread waits.
    static func waiting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(ClientError) -> Value
    ) throws(ExitStatus) -> Value {
        let result = Promise<Result<Value, ClientError>>()
        Task {
            do throws(ClientError) {
                result.fulfill(.success(try await body()))
            } catch {
                result.fulfill(.failure(error))
            }
        }
        return try client(result.wait().get())
    }
}
