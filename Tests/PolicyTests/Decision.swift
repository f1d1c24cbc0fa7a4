import Bytes
import HTTP
import Identity
import Model
import TestSupport

@testable import Policy

/// What becomes of a request that asks all questions in the order of AMB-32, as the gateway does.
enum Decision: Equatable, CustomStringConvertible {
    case allowed(String)
    case preflight
    case endpoint(EndpointDescriptor)
    case denied(Reason)

    var description: String {
        switch self {
        case .allowed(let subject): "allowed \(subject)"
        case .preflight: "preflight"
        case .endpoint(let endpoint): "endpoint \(endpoint)"
        case .denied(let reason): "\(reason.status) \(reason.code)"
        }
    }
}

func decide(
    _ request: TestRequest, _ snapshot: PolicySnapshot, now: Int64 = TestPolicy.now,
    cache: VerifiedTokenCache = VerifiedTokenCache(capacity: 8)
) -> Decision {
    let route: Route
    switch request.match(snapshot) {
    case nil: return .denied(.ambiguousPath)
    case .notFound?: return .denied(.noRoute)
    case .methodNotAllowed?: return .denied(.methodNotAllowed)
    case .endpoint(let endpoint)?: return .endpoint(endpoint.descriptor)
    case .route(let found)?: route = found
    }
    let verdict = request.screen(snapshot, route)
    if let denial = verdict.denial { return .denied(denial) }
    if verdict == .preflight { return .preflight }
    var principal: Principal?
    switch request.authenticate(snapshot, route, now: now, cache: cache) {
    case .none: break
    case .principal(let known): principal = known
    case .rejected(let reason), .malformed(let reason): return .denied(reason)
    case .resolve(let effect):
        switch effect.settled() {
        case .success(let known): principal = known
        case .failure(let reason): return .denied(reason)
        }
    }
    let denial = snapshot.authorize(
        route, principal: principal, bytes: request.bytes.span, head: request.head, headers: request.headers)
    return denial.map(Decision.denied) ?? .allowed(principal?.subject ?? "nobody")
}

func bearer(_ token: String) -> (String, String) { ("Authorization", "Bearer \(token)") }
func basic(_ text: String) -> (String, String) {
    let bytes = Array(text.utf8)
    return ("Authorization", "Basic " + String(decoding: Base64.encode(bytes.span), as: UTF8.self))
}
let inventoryID = ("Oracle-Mobile-Backend-ID", "mbe-inv-1")
