import ClientStore

/// An HTTP request.
public struct ClientRequest: Sendable {
    /// A field line.
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    /// Absolute, `http` or `https`.
    public var url: String
    public var fields: [Field]
    public var body: [UInt8]
    /// Whether tokens of the session are sent and challenges answered (RST-03: otherwise the response is returned
    /// unchanged).
    public var usesSession: Bool

    public init(
        _ method: String = "GET", _ url: String, fields: [Field] = [], body: [UInt8] = [], usesSession: Bool = true
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.usesSession = usesSession
    }

    /// Whether a field of this name exists, case-insensitively.
    func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }

    func adding(_ field: Field) -> ClientRequest {
        var copy = self
        copy.fields.append(field)
        return copy
    }
}

/// An HTTP response.
public struct ClientResponse: Sendable {
    public var status: Int
    /// The reason phrase; may be empty.
    public var reason: String
    /// The field lines in the order received.
    public var fields: [ClientRequest.Field]
    public var body: [UInt8]
    /// The body as JSON, if requested (RST-04).
    public var json: ClientJSON?
    /// Why a refusal could not be resolved: without a challenge, or with a refused token.
    public var problem: ClientError?

    public init(status: Int, reason: String = "", fields: [ClientRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
    }

    /// The values of all fields of this name, which is in lower case.
    public func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }

    public var isSuccess: Bool { (200...299).contains(status) }
}
