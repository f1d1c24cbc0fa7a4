import Bytes
import HTTP
import Identity
import Model
import TestSupport

@testable import Policy

/// The outcome of a decision whose rates, certificates and bodies all pass.
enum DecisionOutcome: Equatable, CustomStringConvertible {
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
    certificate: PresentedCertificate? = nil, cache: VerifiedTokenCache = VerifiedTokenCache(capacity: 8)
) -> DecisionOutcome {
    guard let path = request.canonicalPath else { return .denied(.ambiguousPath) }
    var decision = Decision(
        snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers, now: now)
    while true {
        let turn = decision.advance(
            snapshot, path: path.span, bytes: request.bytes.span, head: request.head, headers: request.headers)
        switch turn {
        case .ask(.credential):
            let outcome = request.authenticate(
                snapshot, decision.route, certificate: certificate, now: now, cache: cache)
            switch outcome {
            case .none: break
            case .principal(let known): decision.principal = known
            case .rejected(let reason), .malformed(let reason): return .denied(reason)
            case .resolve(let effect):
                switch effect.settled() {
                case .success(let known): decision.principal = known
                case .failure(let reason): return .denied(reason)
                }
            }
        case .ask(.proof):
            guard let principal = decision.principal else { break }
            do throws(Reason) {
                _ = try snapshot.challenges.possession.check(
                    by: principal, on: decision.route, path: path.span, bytes: request.bytes.span, head: request.head,
                    headers: request.headers, isSecure: true, certificate: certificate, now: now)
            } catch {
                return .denied(error)
            }
        case .ask: break
        case .deny(let reason): return .denied(reason)
        case .answerPreflight: return .preflight
        case .answerIcon: return .denied(.noRoute)
        case .admit:
            if let endpoint = decision.endpoint { return .endpoint(endpoint.descriptor) }
            return .allowed(decision.principal?.subject ?? "no caller")
        }
    }
}

func bearer(_ token: String) -> (String, String) { ("Authorization", "Bearer \(token)") }
func basic(_ text: String) -> (String, String) {
    let bytes = Array(text.utf8)
    return ("Authorization", "Basic " + String(decoding: Base64.encode(bytes.span), as: UTF8.self))
}
let inventoryID = ("Oracle-Mobile-Backend-ID", "mbe-inv-1")
