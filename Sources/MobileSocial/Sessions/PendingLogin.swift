import Bytes
import Crypto
import Identity
import JOSE
import OAuthServer

/// A login whose password was right and that waits for an answer (OMS-14). The client carries it sealed, as
/// `challengeId`, so that any process can go on with it; how often it was answered the store knows.
struct PendingLogin: Sendable, Equatable {
    /// What is asked for.
    enum Step: String, Sendable {
        /// A question whose answer the user has laid down.
        case question = "KBA"
        /// A code of the user's device.
        case code = "OTP"
    }

    /// Tells it from others: 128 random bits.
    let id: String
    let username: String
    let facts: Session.Facts
    /// Seconds that the session is to last; nil for no limit.
    let sessionSeconds: Int64?
    /// The one of now first.
    let steps: [Step]
    /// Which of the user's questions was asked.
    let question: Int
    /// Seconds since 1970.
    let expiresAt: Int64

    static let lifetimeSeconds: Int64 = 300
    /// Three wrong answers end it.
    static let maximumAnswers = 3
    /// What clients are shown it with.
    private static let prefix = "ch.v1."

    init(
        _ facts: Session.Facts, username: String, sessionSeconds: Int64?, steps: [Step], question: Int, now: Int64
    ) {
        id = AccessTokenMinter.randomID()
        self.facts = facts
        self.username = username
        self.sessionSeconds = sessionSeconds
        self.steps = steps
        self.question = question
        expiresAt = now + PendingLogin.lifetimeSeconds
    }

    /// Which of so many questions is asked.
    static func choose(among count: Int) -> Int { count == 0 ? 0 : Int(SecureRandom.uint64() % UInt64(count)) }

    func sealed(_ record: SealedRecord) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", id)
        writer.member("user", username)
        writer.member("facts", String(decoding: facts.json, as: UTF8.self))
        if let sessionSeconds { writer.member("seconds", sessionSeconds) }
        writer.member("steps", steps.map(\.rawValue))
        writer.member("question", question)
        writer.endObject()
        return PendingLogin.prefix
            + record.seal([String(decoding: writer.bytes, as: UTF8.self)], expiresAt: expiresAt)
    }

    /// What `sealed` has made.
    /// - Parameter now: seconds since 1970.
    init(_ text: String, _ record: SealedRecord, now: Int64) throws(SealedRecord.Failure) {
        let (bytes, prefix) = (Array(text.utf8), Array(PendingLogin.prefix.utf8))
        guard bytes.starts(with: prefix) else { throw .notOurs }
        let opened = try record.open(bytes.span.extracting(droppingFirst: prefix.count), now: now)
        guard opened.texts.count == 1,
            let node = try? JSONNode.parse(Array(opened.texts[0].utf8).span, maximumDepth: 4),
            let id = node["id"]?.string,
            let username = node["user"]?.string,
            let facts = node["facts"]?.string.flatMap({ Session.Facts(Array($0.utf8)) }),
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
