import ACME
import Bytes
import Crypto
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

/// Orders at an authority that never gets done, with a clock that runs when an order waits.
@Suite struct ACMEOrderTests {
    /// Answers requests as an authority does up to a point.
    private final class StallingAuthority: Sendable {
        /// Where it stops: a status that does not change.
        let stall: String
        private let state = Mutex<(now: Int64, calls: Int)>((0, 0))

        init(stall: String) { self.stall = stall }

        var calls: Int { state.withLock { $0.calls } }
        var milliseconds: Int64 { state.withLock { $0.now } }

        func surroundings(pauses: Int = .max) -> ACMESurroundings {
            ACMESurroundings(
                transport: OutboundTransport(), call: { self.answer($0) },
                pause: { milliseconds in
                    self.state.withLock {
                        $0.now += milliseconds
                        return pauses > 0
                    }
                }, monotonicMilliseconds: { self.milliseconds }, wallSeconds: { 1_800_000_000 })
        }

        private func answer(_ call: OutboundCall) -> OutboundResult {
            state.withLock { $0.calls += 1 }
            let base = "https://ca.example.com"
            var location: String?
            let body: String
            switch call.url.target {
            case "/directory":
                body =
                    #"{"newNonce": "\#(base)/nonce", "newAccount": "\#(base)/account", "newOrder": "\#(base)/orders"}"#
            case "/account":
                location = "\(base)/accounts/1"
                body = #"{"status": "valid"}"#
            case "/orders", "/order":
                location = "\(base)/order"
                let status = stall == "authorization" ? "pending" : stall == "order" ? "processing" : "ready"
                body =
                    #"{"status": "\#(status)", "authorizations": ["\#(base)/authorization"], "finalize": "\#(base)/final"}"#
            case "/authorization":
                let status = stall == "authorization" ? "pending" : "valid"
                body = """
                    {"status": "\(status)", "identifier": {"type": "dns", "value": "a.example.com"},
                     "challenges": [{"type": "http-01", "url": "\(base)/challenge", "token": "abcdefghijklmnopqrstuvwx"}]}
                    """
            default: body = "{}"
            }
            let headers = [(name: "Replay-Nonce", value: "bm9uY2U"), (name: "Retry-After", value: "100000000000")]
            return .response(
                OutboundResponse(
                    status: 200, headers: headers + (location.map { [(name: "location", value: $0)] } ?? []),
                    body: Array(body.utf8)))
        }
    }

    private static func order(_ surroundings: ACMESurroundings) throws -> ACMEFailure? {
        let settings = ACMESettings(directory: try WebURL("https://ca.example.com/directory"))
        do throws(ACMEFailure) {
            _ = try ACMEOrder.certificate(
                for: ["a.example.com"], settings, account: .generate(.es256), by: surroundings)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "an authority that is never done is given up after 150 s, however long it asks to wait",
        arguments: [
            ("authorization", "the authorization for a.example.com still has the status \"pending\""),
            ("order", "the order still has the status \"processing\""),
            ("certificate", "the order still has the status \"ready\""),
        ])
    func stalling(_ stall: String, _ text: String) throws {
        let authority = StallingAuthority(stall: stall)
        #expect(try Self.order(authority.surroundings())?.detail == text)
        #expect(authority.milliseconds <= 150_000 && authority.calls < 20)
    }

    @Test("the end of the process ends an order")
    func ending() throws {
        let authority = StallingAuthority(stall: "order")
        #expect(try Self.order(authority.surroundings(pauses: 0)) == .ending)
    }
}
