import Bytes
import Endpoints
import HTTP

/// The attributes of a request: members of its JSON body, header fields, or for GET the parameters of its query. Names
/// and values are case-sensitive, except for the names of header fields (oam-wire 3.1).
struct RequestAttributes: Sendable {
    /// The set of names that a request uses.
    enum Dialect: Sendable {
        /// `X-Idaas-Rest-*`, as sent by existing clients.
        case attested
        /// The short names of requirements CHAL-10 and OMS-06 to OMS-17.
        case plain
    }

    let dialect: Dialect
    private let body: JSONNode?
    private let query: FormFields
    private let fields: [(name: String, value: String)]

    private static let prefix = "X-Idaas-Rest-"
    /// Refused in the query of a POST, since queries are logged.
    private static let secrets = ["Subject-Password", "Subject-Username", "Subject-Value", "Subject-Credential"]

    init(_ request: EndpointRequest) throws(MobileSocialFailure) {
        fields = request.fields
        guard let query = try? FormFields.parse(request.query.span), query.repeatedName == nil else {
            throw .malformedQuery
        }
        self.query = query
        if request.method == .post {
            let names = RequestAttributes.secrets.map { RequestAttributes.prefix + $0 } + ["password", "userToken"]
            if names.contains(where: { query.first($0) != nil }) { throw .credentialInQuery }
            let parsed = try RequestAttributes.body(request)
            body = parsed
            let isAttested = (parsed?.members ?? []).contains {
                $0.name.utf8.starts(with: RequestAttributes.prefix.utf8)
            }
            dialect = isAttested ? .attested : .plain
        } else {
            body = nil
            dialect = query.fields.isEmpty ? .plain : .attested
        }
        // `v1` is the only version and the default.
        let version = try field("X-Idaas-Rest-Version")
        guard (version ?? query.first("X-IDAAS-REST-VERSION") ?? "v1").isExactly("v1") else { throw .unknownVersion }
    }

    /// The JSON object of a POST; nil for an empty body. The JSON reader refuses duplicate members.
    private static func body(_ request: EndpointRequest) throws(MobileSocialFailure) -> JSONNode? {
        if request.body.isEmpty { return nil }
        guard request.hasJSONBody else { throw .wrongContentType }
        guard let node = try? JSONNode.parse(request.body.span, maximumDepth: 16), node.members != nil else {
            throw .malformedBody
        }
        return node
    }

    // MARK: Attested names

    /// The value of `X-Idaas-Rest-NAME`. Different values in body and head are refused as ambiguous.
    func attribute(_ name: String) throws(MobileSocialFailure) -> String? {
        let whole = RequestAttributes.prefix + name
        let inHead = try field(whole)
        let elsewhere = try member(whole) ?? (body == nil ? query.first(whole) : nil)
        guard let elsewhere else { return inHead }
        if let inHead, !inHead.isExactly(elsewhere) { throw .conflictingAttribute }
        return elsewhere.isEmpty ? nil : elsewhere
    }

    /// The value of `X-Idaas-Rest-NAME`, or of the short name.
    func attribute(_ name: String, or short: String) throws(MobileSocialFailure) -> String? {
        if let value = try attribute(name) { return value }
        return try member(short)
    }

    /// The header field of this name, ignoring case.
    func field(_ name: String) throws(MobileSocialFailure) -> String? {
        let found = fields.filter { $0.name.utf8.elementsEqual(name.utf8.map(ASCII.lowercased)) }
        guard found.count <= 1 else { throw .conflictingAttribute }
        return found.first?.value
    }

    func parameter(_ name: String) -> String? { query.first(name) }

    // MARK: Members of the body

    func node(_ name: String) -> JSONNode? { body?[name] }

    /// The text of a member; nil if it is absent, null or empty.
    func member(_ name: String) throws(MobileSocialFailure) -> String? {
        guard let node = body?[name], !node.isNull else { return nil }
        guard let text = node.string else { throw .malformedAttribute }
        return text.isEmpty ? nil : text
    }

    /// The integer part of a number (OMS-08); nil if it is absent or null.
    func number(_ name: String) throws(MobileSocialFailure) -> Int64? {
        guard let node = body?[name], !node.isNull else { return nil }
        guard let number = node.number, number >= 0, number < 1e15 else { throw .malformedAttribute }
        return Int64(number)
    }
}

/// The credentials of a client: `X-Idaas-Rest-Authorization: UIDPASSWORD cred="..."` with the Base64 of
/// `clientId:secret` (oam-wire 3.3), or the members `appName` and `registrationHandle`.
struct ClientProof: Sendable, Equatable {
    /// Name of the application.
    let application: String
    /// A registration handle, a client token, or the application's shared secret.
    let secret: String

    private static let scheme = Array("uidpassword".utf8)
    private static let opening = Array("cred=\"".utf8)

    init(application: String, secret: String) {
        self.application = application
        self.secret = secret
    }

    /// Nil for any other form than the above; only the case of the scheme may differ.
    init?(_ field: String) {
        let text = Array(field.utf8)
        guard text.count > ClientProof.scheme.count,
            text.prefix(ClientProof.scheme.count).map(ASCII.lowercased) == ClientProof.scheme,
            text[ClientProof.scheme.count] == ASCII.space
        else { return nil }
        let rest = Array(text[ClientProof.scheme.count...].drop { $0 == ASCII.space })
        guard rest.starts(with: ClientProof.opening), rest.count > ClientProof.opening.count, rest.last == ASCII.quote
        else { return nil }
        let encoded = Array(rest[ClientProof.opening.count..<(rest.count - 1)])
        // Names of applications have no colon.
        guard let pair = Base64.decode(encoded.span), let colon = pair.firstIndex(of: ASCII.colon),
            let application = String(streamSafe: pair[..<colon]), !application.isEmpty,
            let secret = String(streamSafe: pair[(colon + 1)...]), !secret.isEmpty
        else { return nil }
        self.init(application: application, secret: secret)
    }
}
