import Bytes
import Endpoints
import HTTP

/// The attributes of a request: members of its JSON body, fields of its head, or for GET parameters of its query. Names
/// and values are taken with case, but for the names of fields (oam-wire 3.1).
struct RequestAttributes: Sendable {
    /// The two sets of names that a request may use.
    enum Dialect: Sendable {
        /// `X-Idaas-Rest-*`, as the clients in the field send them.
        case attested
        /// The short names of requirements CHAL-10 and OMS-06 to OMS-17.
        case plain
    }

    let dialect: Dialect
    private let body: JSONNode?
    private let query: FormFields
    private let fields: [(name: String, value: String)]

    private static let prefix = "X-Idaas-Rest-"
    /// What never stands in a query of a POST: it would end up in logs.
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
        // Absent means the latest, which is the only one.
        let version = try field("X-Idaas-Rest-Version")
        guard (version ?? query.first("X-IDAAS-REST-VERSION") ?? "v1").isExactly("v1") else { throw .unknownVersion }
    }

    /// The JSON object of a POST; nil for an empty body. The reader refuses a member that comes twice.
    private static func body(_ request: EndpointRequest) throws(MobileSocialFailure) -> JSONNode? {
        if request.body.isEmpty { return nil }
        guard request.hasJSONBody else { throw .wrongContentType }
        guard let node = try? JSONNode.parse(request.body.span, maximumDepth: 16), node.members != nil else {
            throw .malformedBody
        }
        return node
    }

    // MARK: Attested names

    /// The value of `X-Idaas-Rest-NAME`; nil for none. One that stands in body and head must be the same in both: two
    /// readers could otherwise believe two things.
    func attribute(_ name: String) throws(MobileSocialFailure) -> String? {
        let whole = RequestAttributes.prefix + name
        let inHead = try field(whole)
        let elsewhere = try member(whole) ?? (body == nil ? query.first(whole) : nil)
        guard let elsewhere else { return inHead }
        if let inHead, !inHead.isExactly(elsewhere) { throw .conflictingAttribute }
        return elsewhere.isEmpty ? nil : elsewhere
    }

    /// The same, or the value of the short name.
    func attribute(_ name: String, or short: String) throws(MobileSocialFailure) -> String? {
        if let value = try attribute(name) { return value }
        return try member(short)
    }

    /// The one field of this name, without case; nil for none.
    func field(_ name: String) throws(MobileSocialFailure) -> String? {
        let found = fields.filter { $0.name.utf8.elementsEqual(name.utf8.map(ASCII.lowercased)) }
        guard found.count <= 1 else { throw .conflictingAttribute }
        return found.first?.value
    }

    func parameter(_ name: String) -> String? { query.first(name) }

    // MARK: Members of the body

    func node(_ name: String) -> JSONNode? { body?[name] }

    /// The text of a member; nil for none, and for an empty one.
    func member(_ name: String) throws(MobileSocialFailure) -> String? {
        guard let node = body?[name], !node.isNull else { return nil }
        guard let text = node.string else { throw .malformedAttribute }
        return text.isEmpty ? nil : text
    }

    /// The integer part of a member that is a number (OMS-08); nil for none.
    func number(_ name: String) throws(MobileSocialFailure) -> Int64? {
        guard let node = body?[name], !node.isNull else { return nil }
        guard let number = node.number, number >= 0, number < 1e15 else { throw .malformedAttribute }
        return Int64(number)
    }
}
