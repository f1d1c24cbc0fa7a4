import Bytes
import ClientStore
import Foundation
import Model
import Synchronization

@testable import PortcullisClient

/// A gateway as the client sees one, without sockets: a mobile service domain with one application, OAuth, and resources
/// behind two webgates. It remembers what it was sent.
final class ScriptedGateway: Transport {
    struct State {
        var requests: [ClientRequest] = []
        var isReachable = true
        /// What is answered to a path in the place of the usual.
        var answers: [String: ClientResponse] = [:]
        var profileMembers = ""
        var profileMaxAge: Int? = 3600
        var handles: Set<String> = []
        var userTokens: [String: Int] = [:]
        /// Access tokens by their webgate.
        var accessTokens: [String: String] = [:]
        var issued = 0
        var level = 2
        var asksQuestion = false
    }

    static let base = "https://gw.example.com"
    static let password = "p@ss:w&rd+%"
    let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// The paths that were asked for, in order.
    var paths: [String] {
        state.withLock { $0.requests.map { String($0.url.dropFirst(Self.base.count).prefix { $0 != "?" }) } }
    }

    var requests: [ClientRequest] { state.withLock { $0.requests } }

    func forget() { change { $0.requests = [] } }

    func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        // So that requests at the same time do meet.
        await Task.yield()
        let isReachable = state.withLock { state in
            state.requests.append(request)
            return state.isReachable
        }
        guard isReachable else { throw ClientError(.unreachable, "the gateway is away") }
        let address = try WebURL(client: request.url)
        if let answer = state.withLock({ $0.answers[address.path] }) { return answer }
        return state.withLock { answer(request, address, &$0) }
    }

    private func answer(_ request: ClientRequest, _ address: WebURL, _ state: inout State) -> ClientResponse {
        let body = (try? JSONNode.parse(request.body.span)) ?? JSONNode(.null)
        switch address.path {
        case "/oic_rest/rest/AppProfiles/DemoApp": return profile(request, state)
        case "/oic_rest/rest/mobile/register": return register(body, &state)
        case "/oic_rest/rest/mobile/authenticate": return authenticate(request, body, &state)
        case "/oic_rest/rest/mobile/access": return access(request, body, &state)
        case "/oic_rest/rest/mobile/logout":
            state.userTokens[body["X-Idaas-Rest-Subject-Value"]?.string ?? ""] = nil
            return .json(200, "{}")
        case "/oauth2/token": return oauth(request, &state)
        case "/mobile/platform/users/~":
            let expected = "Basic \(Data("joe:\(Self.password)".utf8).base64EncodedString())"
            return request.value("authorization") == expected ? .json(200, "{}") : .json(401, "{}")
        case "/items", "/items/7", "/reports/a": return resource(request, address, "InventoryWG", 2, &state)
        case "/payroll/run": return resource(request, address, "HighWG", 3, &state)
        default: return .json(404, #"{"status":404}"#)
        }
    }

    private func profile(_ request: ClientRequest, _ state: State) -> ClientResponse {
        guard request.url.contains("serviceDomain=Mobile") else { return .json(404, "{}") }
        let base = "/oic_rest/rest/mobile"
        var response = ClientResponse.json(
            200,
            """
            {"name":"DemoApp","serviceDomain":"Mobile","registrationService":"\(base)/register",
             "userAuthService":"https://elsewhere.example.com\(base)/authenticate","accessService":"\(base)/access",
             "deleteService":"\(base)/logout","profileCacheDuration":60\(state.profileMembers)}
            """)
        if request.value("if-none-match") == "\"v1\"" { response = ClientResponse(status: 304) }
        response.fields.append(.init("ETag", "\"v1\""))
        if let age = state.profileMaxAge { response.fields.append(.init("Cache-Control", "private, max-age=\(age)")) }
        return response
    }

    private func register(_ body: JSONNode, _ state: inout State) -> ClientResponse {
        guard isRight(body) else { return Self.failed }
        state.issued += 1
        let handle = "crh.v1.\(state.issued)"
        state.handles.insert(handle)
        return .json(200, #"{"X-Idaas-Rest-Token-Type":"CLIENTREGHANDLE","X-Idaas-Rest-Token-Value":"\#(handle)"}"#)
    }

    private func authenticate(_ request: ClientRequest, _ body: JSONNode, _ state: inout State) -> ClientResponse {
        guard hasHandle(request, state) else { return Self.failed }
        if let answer = body["answer"]?.string {
            guard answer == "blue" else { return Self.failed }
        } else {
            guard isRight(body) else {
                return .json(401, #"{"message":"Authentication failed","remainingAttempts":2}"#)
            }
            if state.asksQuestion {
                let question = #""type":"KBA","challengeId":"c1","question":"Which colour?""#
                return .json(200, "{\"status\":\"challenge\",\(question)}")
            }
        }
        state.issued += 1
        let token = "ut.v1.\(state.issued)"
        state.userTokens[token] = state.level
        return .json(
            200,
            """
            {"X-Idaas-Rest-Provider-Type":"OAM_11G","X-Idaas-Rest-Token-Type":"USERTOKEN",
             "X-Idaas-Rest-Token-Value":"\(token)","X-Idaas-Rest-User-Principal":"joe","level":\(state.level)}
            """)
    }

    private func access(_ request: ClientRequest, _ body: JSONNode, _ state: inout State) -> ClientResponse {
        let context = body["X-Idaas-Rest-Application-Context"]?.string ?? ""
        guard hasHandle(request, state), let level = state.userTokens[body["X-Idaas-Rest-Subject-Value"]?.string ?? ""]
        else { return Self.failed }
        // The context as the challenge made it: webgate, level and resource.
        let parts = context.split(separator: "!").map(String.init)
        guard parts.count == 3, body["X-Idaas-Rest-Application-Resource"]?.string == "\(Self.base)\(parts[2])" else {
            return .json(400, #"{"message":"Invalid application context"}"#)
        }
        guard level >= Int(parts[1]) ?? 99 else { return Self.failed }
        state.issued += 1
        // oam-wire 2: percent escapes stay what they are.
        let token = "at%2F\(state.issued)"
        state.accessTokens[token] = parts[0]
        return .json(200, #"{"X-Idaas-Rest-Token-Type":"ACCESSTOKEN","X-Idaas-Rest-Token-Value":"\#(token)"}"#)
    }

    private func oauth(_ request: ClientRequest, _ state: inout State) -> ClientResponse {
        let form = String(decoding: request.body, as: UTF8.self)
        let client = "Basic \(Data("app%2Bone:s%3Acret".utf8).base64EncodedString())"
        guard request.value("authorization") == client else { return .json(401, #"{"error":"invalid_client"}"#) }
        guard form == "grant_type=password&username=joe&password=p%40ss%3Aw%26rd%2B%25" else {
            return .json(400, #"{"error":"invalid_grant","error_description":"wrong"}"#)
        }
        return .json(200, #"{"access_token":"bearer-1","token_type":"Bearer","expires_in":600}"#)
    }

    private func resource(
        _ request: ClientRequest, _ address: WebURL, _ webgate: String, _ level: Int, _ state: inout State
    ) -> ClientResponse {
        let presented = request.value("authorization").map { $0.replacing("OAM-Auth ", with: "") }
        if let presented, state.accessTokens[presented] == webgate { return .json(200, #"{"items":[]}"#) }
        if presented == "Bearer bearer-1" { return .json(200, "{}") }
        var response = ClientResponse.json(401, #"{"status":401}"#)
        let challenge =
            "OAM-Auth realm=\"\(webgate):\(level) \(address.target)\", request-ctx=\"\(webgate)!\(level)!\(address.target)\""
        response.fields.append(.init("WWW-Authenticate", challenge))
        return response
    }

    private func isRight(_ body: JSONNode) -> Bool {
        body["X-Idaas-Rest-Subject-Username"]?.string == "joe"
            && body["X-Idaas-Rest-Subject-Password"]?.string == Self.password
    }

    private func hasHandle(_ request: ClientRequest, _ state: State) -> Bool {
        state.handles.contains { handle in
            let credential = Data("DemoApp:\(handle)".utf8).base64EncodedString()
            return request.value("x-idaas-rest-authorization") == "UIDPASSWORD cred=\"\(credential)\""
        }
    }

    private static let failed = ClientResponse.json(401, #"{"message":"Authentication failed"}"#)
}

extension ClientResponse {
    static func json(_ status: Int, _ text: String) -> ClientResponse {
        ClientResponse(
            status: status, fields: [.init("Content-Type", "application/json")], body: Array(text.utf8))
    }
}

extension ClientRequest {
    /// The body as JSON; null where it is none.
    var json: JSONNode {
        let body = body
        return (try? JSONNode.parse(body.span)) ?? JSONNode(.null)
    }

    /// The value of the one field of this name, in lower case.
    func value(_ name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}
