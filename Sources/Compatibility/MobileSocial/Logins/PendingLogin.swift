import Bytes
import Crypto
import OAuthServer

/// A login with a right password that waits for a second factor (OMS-14). The client carries it sealed, as
/// `challengeId`, so that any process can continue it; the store counts the answers.
struct PendingLogin: Sendable, Equatable {
    enum Step: String, Sendable {
        /// A security question.
        case question = "KBA"
        /// A one-time code.
        case code = "OTP"
    }

    /// 128 random bits.
    let id: String
    let username: String
    let facts: MobileSession.Facts
    /// Duration of the session; nil for no limit.
    let sessionSeconds: Int64?
    /// The remaining steps, the current one first.
    let steps: [Step]
    /// Index of the security question that was asked.
    let question: Int
    /// Seconds since 1970.
    let expiresAt: Int64

    static let lifetimeSeconds: Int64 = 300
    static let maximumAnswers = 3
    private static let prefix = "ch.v1."

    init(
        _ facts: MobileSession.Facts, username: String, sessionSeconds: Int64?, steps: [Step], question: Int, now: Int64
    ) {
        id = AccessTokenMinter.randomID()
        self.facts = facts
        self.username = username
        self.sessionSeconds = sessionSeconds
        self.steps = steps
        self.question = question
        expiresAt = now + PendingLogin.lifetimeSeconds
    }

    /// A random index.
    static func choose(among count: Int) -> Int { count == 0 ? 0 : Int(SecureRandom.uint64() % UInt64(count)) }

    func sealed(_ record: SealedRecord) -> String {
        let json = JSONWriter.object { writer in
            writer.member("id", id)
            writer.member("user", username)
            writer.member("facts", String(decoding: facts.json, as: UTF8.self))
            if let sessionSeconds { writer.member("seconds", sessionSeconds) }
            writer.member("steps", steps.map(\.rawValue))
            writer.member("question", question)
        }
        return PendingLogin.prefix + record.seal([String(decoding: json, as: UTF8.self)], expiresAt: expiresAt)
    }

    /// Opens the text of `sealed`.
    /// - Parameter now: seconds since 1970.
    init(_ text: String, _ record: SealedRecord, now: Int64) throws(SealedRecord.Failure) {
        let (bytes, prefix) = (Array(text.utf8), Array(PendingLogin.prefix.utf8))
        guard bytes.starts(with: prefix) else { throw .notOurs }
        let opened = try record.open(bytes.span.extracting(droppingFirst: prefix.count), now: now)
        guard opened.texts.count == 1,
            let node = try? JSONNode.parse(Array(opened.texts[0].utf8).span, maximumDepth: 4),
            let id = node["id"]?.string,
            let username = node["user"]?.string,
            let facts = node["facts"]?.string.flatMap({ MobileSession.Facts(Array($0.utf8)) }),
            let steps = node["steps"]?.array?.compactMap({ $0.string.flatMap(Step.init(rawValue:)) }), !steps.isEmpty,
            let question = node["question"]?.integer
        else { throw .notOurs }
        self.id = id
        self.username = username
        self.facts = facts
        sessionSeconds = node["seconds"]?.integer
        self.steps = steps
        self.question = Int(question)
        expiresAt = opened.expiresAt
    }
}
