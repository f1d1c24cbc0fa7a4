import Bytes
import Identity
import Model
import Outbound
import TokenStorage

/// Why a client with a URL as its id is refused.
package struct ClientDocumentFailure: Error, Sendable {
    package let reason: Reason
    /// For operators.
    package let cause: String

    init(_ reason: Reason, _ cause: String) {
        self.reason = reason
        self.cause = cause
    }

    fileprivate static let store = ClientDocumentFailure(.tokenStoreUnavailable, "the store does not answer")
}

/// How the documents of clients are fetched.
package struct ClientDocumentSettings: Sendable {
    package var rules: ClientDocumentRules
    fileprivate let transport: OutboundTransport
    fileprivate let caller: any OutboundCaller
    /// Failures are not remembered, so that callers share the call that is under way.
    fileprivate let underWay = SharedEffects<Result<RegisteredClient, ClientDocumentFailure>>()

    package init(_ rules: ClientDocumentRules, transport: OutboundTransport, caller: any OutboundCaller) {
        self.rules = rules
        self.transport = transport
        self.caller = caller
    }
}

/// A client whose id is the URL of its metadata (draft-ietf-oauth-client-id-metadata-document-02), the document. The store has
/// it as a registered client, with what the document said last.
package struct ClientDocument: Sendable {
    private typealias Fetched = Effect<Result<RegisteredClient, ClientDocumentFailure>>

    /// The longest id in bytes: requests carry it through the login.
    private static let longestID = 512
    /// Section 8.7.
    private static let maximumBytes = 5120
    /// For how many seconds a document counts at least, at most, and if it says nothing of it (section 5.2).
    private static let (leastSeconds, usualSeconds): (Int64, Int64) = (60, 3600)
    static let mostSeconds: Int64 = 86_400

    package let id: String
    private let settings: TokenServiceSettings
    private let clients: RegisteredClients
    private let documents: ClientDocumentSettings

    /// Nil for another id, for that of a client of the configuration, and where such ids are off.
    package init?(_ id: String, _ settings: TokenServiceSettings) {
        guard ClientDocument.names(id), let clients = RegisteredClients(settings),
            let documents = clients.registration.documents, settings.clients.client(clientID: id) == nil,
            settings.clients.client(id: Array(id.utf8).span) == nil
        else { return nil }
        self.id = id
        self.settings = settings
        self.clients = clients
        self.documents = documents
    }

    /// Whether an id has the form of theirs.
    static func names(_ id: String) -> Bool { id.utf8.starts(with: "https://".utf8) }

    /// Host and port of the document of a client; nil for another client.
    package static func host(of client: Client) -> String? {
        client.isRegistered ? host(of: client.clientID) : nil
    }

    /// The same of an id.
    static func host(of id: String) -> String? { names(id) ? (try? WebURL(id))?.authority : nil }

    /// The URL, which has the form that section 3 requires and an allowed host.
    package func url() throws(ClientDocumentFailure) -> WebURL {
        let path = id.dropFirst("https://".count).prefix { $0 != "?" }.drop { $0 != "/" }
        guard id.utf8.count <= ClientDocument.longestID, let url = try? WebURL(id), !path.isEmpty,
            !path.split(separator: "/").contains(where: ClientDocument.isDots)
        else {
            throw ClientDocumentFailure(
                .clientDocumentInvalid, "client_id \(Evidence.quoted(id)) is not the URL of a document")
        }
        guard documents.rules.allow(url.host) else {
            throw ClientDocumentFailure(
                .clientDocumentForeign, "\(url.host) is not in clientMetadataDocuments.allowedDomains")
        }
        return url
    }

    private static func isDots(_ segment: Substring) -> Bool {
        let plain = segment.lowercased().replacing("%2e", with: ".")
        return plain == "." || plain == ".."
    }

    /// The client by its URL alone, for the time before its user has logged in.
    /// - Parameter redirectURI: that of the request, which nothing proves; nil for none.
    package func unproven(redirectURI: String?) -> Client? {
        settings.client(
            of: RegisteredClient(id: id, title: ClientDocument.host(of: id) ?? id, redirectURI: redirectURI))
    }

    /// The client as the store knows it, while its document need not be fetched; nil otherwise.
    package func known(now: Int64) -> Effect<Client?> {
        clients.client(id, now: now).map { found in
            guard case .success((let client, let held)?) = found, held.freshUntil > now else { return nil }
            return client
        }
    }

    /// The client as its document says, which is fetched if need be.
    /// - Parameter user: who has logged in. A user causes only so many calls.
    package func client(for user: String, now: Int64) -> Effect<Result<Client, ClientDocumentFailure>> {
        let url: WebURL
        do throws(ClientDocumentFailure) { url = try self.url() } catch { return .done(.failure(error)) }
        return clients.find(id, now: now).then { found in
            guard case .success(let record) = found else { return .done(.failure(.store)) }
            if let held = record.flatMap(RegisteredClient.init), held.freshUntil > now { return .done(admit(held)) }
            guard clients.registration.throttle.count(network: Array("user \(user)".utf8), now: now) == nil else {
                return .done(.failure(ClientDocumentFailure(.loginThrottled, "the user causes too many fetches")))
            }
            return documents.underWay.result(of: Array(id.utf8)) { fetch(url, over: record, now: now) }
                .map { $0.flatMap(admit) }
        }
    }

    private func admit(_ held: RegisteredClient) -> Result<Client, ClientDocumentFailure> {
        settings.client(of: held).map { .success($0) }
            ?? .failure(ClientDocumentFailure(.clientDocumentForeign, "the client of the configuration has no rights"))
    }

    // MARK: Fetch

    private func fetch(_ url: WebURL, over record: TokenRecord?, now: Int64) -> Fetched {
        var call = documents.transport.call(
            "GET", url, headers: [(name: "Accept", value: "application/json")],
            maximumBytes: ClientDocument.maximumBytes)
        // Always on a connection of its own, whose address is checked (section 8.6).
        call.mayRepeat = false
        call.allowedAddresses = documents.rules.addresses
        return .answer(of: { [call] in documents.caller.perform(call, then: $0) }) { result in
            do throws(ClientDocumentFailure) {
                return store(try read(result, now: now), over: record, now: now)
            } catch {
                return .done(.failure(error))
            }
        }
    }

    /// Section 5: redirects are not followed, and any status but 200 is an error.
    private func read(_ result: OutboundResult, now: Int64) throws(ClientDocumentFailure) -> RegisteredClient {
        let response: OutboundResponse
        switch result {
        case .response(let received): response = received
        case .failed(let failure, let details):
            throw ClientDocumentFailure(
                failure == .tooLarge ? .clientDocumentInvalid : .clientDocumentUnavailable,
                details?.text ?? "\(id): \(failure.rawValue)")
        }
        guard response.status == 200 else {
            throw ClientDocumentFailure(.clientDocumentUnavailable, "\(id): status \(response.status)")
        }
        guard ClientDocument.isJSON(response.value(of: "Content-Type") ?? ""),
            let node = try? JSONNode.parse(response.body.span, maximumDepth: 16)
        else {
            throw ClientDocumentFailure(.clientDocumentInvalid, "\(id): not JSON of a type such as application/json")
        }
        do throws(RegistrationFailure) {
            var client = RegisteredClient(id: id, try ClientMetadata(document: node, of: id), secretDigest: nil)
            let seconds = response.freshSeconds ?? ClientDocument.usualSeconds
            client.freshUntil = now + min(max(seconds, ClientDocument.leastSeconds), ClientDocument.mostSeconds)
            return client
        } catch {
            throw ClientDocumentFailure(.clientDocumentInvalid, "\(id): \(error.detail)")
        }
    }

    private static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json")
    }

    /// Adopts what the document says, in the place of what it said earlier.
    private func store(_ client: RegisteredClient, over held: TokenRecord?, now: Int64) -> Fetched {
        let until = max(held?.accessExpiresAt ?? 0, now + RegisteredClients.trialSeconds)
        var record = TokenRecord(
            id: id, kind: .dynamicClient, application: RegisteredClients.application, subject: "", tokenID: "",
            accessExpiresAt: until, issuedAt: held?.issuedAt ?? now)
        record.attributes = client.attributes
        guard let held else {
            let limit = clients.registration.rules.maximumUnknownClients
            return clients.add(record, limit: limit, now: now).map { added in
                switch added {
                case .success(true): .success(client)
                case .success(false):
                    .failure(ClientDocumentFailure(.registrationsFull, "no more clients can register"))
                case .failure: .failure(.store)
                }
            }
        }
        record.slot = held.slot
        return settings.store.ask(.replace(record), now: now) { answer in
            guard case .success(.record(_?)) = answer else { return .done(.failure(.store)) }
            return .done(.success(client))
        }
    }
}
