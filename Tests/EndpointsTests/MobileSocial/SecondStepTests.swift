import Bytes
import Endpoints
import Identity
import MobileSocial
import Model
import Outbound
import Synchronization
import TestSupport
import Testing

/// Questions and codes beside the password (OMS-14).
@Suite struct SecondStepTests {
    private func answer(
        _ mobile: Mobile, _ handle: String, _ challenge: String, _ answer: String, at seconds: Int64 = 0
    ) -> EndpointResponse {
        mobile.post(
            Mobile.path + "/authenticate", #"{"challengeId":"\#(challenge)","answer":"\#(answer)"}"#,
            proof: "DemoApp:\(handle)", at: seconds)
    }

    private func challenge(_ response: EndpointResponse, _ type: String) throws -> String {
        #expect(response.status == 200 && response.json?["status"]?.string == "challenge")
        #expect(response.json?["type"]?.string == type)
        #expect(response.json?["userToken"] == nil && response.json?["X-Idaas-Rest-Token-Value"] == nil)
        return try #require(response.json?["challengeId"]?.string)
    }

    private func code(at seconds: Int64) -> String {
        OneTimeCode.code(of: Mobile.oneTimeSecret, step: (Mobile.start + seconds) / OneTimeCode.stepSeconds)
    }

    @Test("KBA: the password alone yields no token; the case-insensitive answer does, at the higher level")
    func question() throws {
        let mobile = Mobile { $0.secondStep.question = true }
        let handle = try mobile.handle()
        let asked = mobile.authenticate(handle)
        let id = try challenge(asked, "KBA")
        #expect(asked.json?["question"]?.string == "First pet?")
        let wrong = answer(mobile, handle, id, "tom")
        #expect(wrong.status == 401 && wrong.json?["remainingAttempts"]?.integer == 2)
        let right = answer(mobile, handle, id, "  ReX ")
        #expect(right.json?["level"]?.integer == 3)
        let token = try mobile.value(right)
        #expect(mobile.access(token, handle, StubContexts.high).status == 200)
        #expect(answer(mobile, handle, id, "rex").status == 401, "an answer counts once")
    }

    @Test("three wrong answers end the attempt, and count as a failed login")
    func threeAnswers() throws {
        let mobile = Mobile {
            $0.secondStep.question = true
            $0.applications[0].maximumLoginAttempts = 1
        }
        let handle = try mobile.handle()
        let id = try challenge(mobile.authenticate(handle), "KBA")
        for left in [2, 1, 0] as [Int64] {
            #expect(answer(mobile, handle, id, "no").json?["remainingAttempts"]?.integer == left)
        }
        #expect(answer(mobile, handle, id, "rex").json?["code"]?.string == "login_attempts_exceeded")
        #expect(mobile.authenticate(handle).json?["code"]?.string == "login_attempts_exceeded")
    }

    @Test("wrong answers are counted across logins, and an earlier challenge does not bypass a lockout")
    func answersOfManyLogins() throws {
        let mobile = Mobile { $0.secondStep.question = true }
        let handle = try mobile.handle()
        let kept = try challenge(mobile.authenticate(handle), "KBA")
        for left in [2, 1, 0] as [Int64] {
            let id = try challenge(mobile.authenticate(handle), "KBA")
            #expect(answer(mobile, handle, id, "no").json?["remainingAttempts"]?.integer == left)
        }
        #expect(answer(mobile, handle, kept, "rex").json?["code"]?.string == "login_attempts_exceeded")
        #expect(mobile.authenticate(handle).json?["code"]?.string == "login_attempts_exceeded")
        #expect(mobile.authenticate(handle, at: 301).json?["status"]?.string == "challenge")
    }

    @Test("concurrent answers are limited to the allowed failures")
    func answersAtOnce() throws {
        let mobile = Mobile { $0.secondStep.question = true }
        let handle = try mobile.handle()
        let challenges = try (0..<6).map { _ in try challenge(mobile.authenticate(handle), "KBA") }
        var hashes: [@Sendable () -> Effect<EndpointResponse>] = []
        var refused: [Int] = []
        for (number, id) in challenges.enumerated() {
            let text = number == 5 ? "rex" : "no \(number)"
            let body = #"{"challengeId":"\#(id)","answer":"\#(text)"}"#
            switch mobile.begin(Mobile.path + "/authenticate", body, proof: "DemoApp:\(handle)").upToHash() {
            case .hash(_, let work): hashes.append(work)
            case let other: refused.append(other.settled().status)
            }
        }
        #expect(refused == [429, 429, 429])
        #expect(hashes.map { $0().settled().status } == [401, 401, 401])
        #expect(answer(mobile, handle, challenges[5], "rex").json?["code"]?.string == "login_attempts_exceeded")
    }

    @Test("OTP: a code is accepted once during its validity; both steps follow one another")
    func code() throws {
        let mobile = Mobile {
            $0.secondStep.question = true
            $0.secondStep.code = true
        }
        let handle = try mobile.handle()
        let first = try challenge(mobile.authenticate(handle), "KBA")
        let second = try challenge(answer(mobile, handle, first, "rex"), "OTP")
        #expect(answer(mobile, handle, second, code(at: 120)).status == 401)
        let session = answer(mobile, handle, second, code(at: 0))
        #expect(session.json?["level"]?.integer == 3)
        #expect(mobile.post(Mobile.path + "/logout", #"{"userToken":"\#(try mobile.value(session))"}"#).status == 200)
        // The same code at the next login is refused; the next one is taken.
        let again = try challenge(answer(mobile, handle, challenge(mobile.authenticate(handle), "KBA"), "rex"), "OTP")
        #expect(answer(mobile, handle, again, code(at: 0)).status == 401)
        #expect(answer(mobile, handle, again, code(at: 30), at: 30).status == 200)
    }

    @Test("on demand, the second step applies only if the client requests a higher level")
    func onDemand() throws {
        let mobile = Mobile {
            $0.secondStep.code = true
            $0.secondStep.onDemand = true
        }
        let handle = try mobile.handle()
        let low = try mobile.value(mobile.authenticate(handle))
        #expect(mobile.access(low, handle, StubContexts.high).status == 401)
        for more in [#","level":3"#, #","X-Idaas-Rest-Application-Context":"\#(StubContexts.high)""#] {
            _ = try challenge(mobile.authenticate(handle, more: more), "OTP")
        }
        let id = try challenge(mobile.authenticate(handle, more: #","level":3"#), "OTP")
        let high = try mobile.value(answer(mobile, handle, id, code(at: 0)))
        #expect(mobile.access(high, handle, StubContexts.high).status == 200)
        #expect(mobile.access(low, handle).status == 200, "the lower session goes on")
    }

    @Test("challenges expire, are bound to their device, and need an enrolled user")
    func bounds() throws {
        let mobile = Mobile { $0.secondStep.question = true }
        let (handle, other) = (try mobile.handle(), try mobile.handle(device: #"{"hardwareIds":{"udid":"2"}}"#))
        let id = try challenge(mobile.authenticate(handle), "KBA")
        #expect(answer(mobile, other, id, "rex").status == 401)
        #expect(answer(mobile, handle, id, "rex", at: 300).status == 401)
        #expect(answer(mobile, handle, "ch.v1.x", "rex").status == 401)
        let ann = mobile.authenticate(handle, user: "ann", password: "Welcome2")
        #expect(ann.status == 403 && ann.json?["code"]?.string == "second_step_missing")
    }
}

extension Effect {
    /// What is left to do once the store has answered: a hash, or nothing.
    fileprivate func upToHash() -> Effect {
        switch self {
        case .done, .hash: return self
        case .offload(let work): return work().upToHash()
        case .await(let begin):
            let next = Mutex<Effect<Value>?>(nil)
            begin { effect in next.withLock { $0 = effect } }
            guard let effect = next.withLock({ $0 }) else { preconditionFailure("nothing has answered yet") }
            return effect.upToHash()
        }
    }
}
