import Bytes
import Crypto
import Identity
import JOSE
import Model
import TestSupport
import Testing

/// Proofs of possession, and what is no proof (RFC 9449 sections 4.3, 8 and 11).
@Suite struct ProofVerifierTests {
    private static let now: Int64 = 1_800_000_000
    private static let url = "https://gw.example.com/items"
    private let maker = ProofMaker()
    private let verifier = ProofVerifier()

    private func check(
        _ proof: String, key: [UInt8]? = nil, token: String? = nil, at now: Int64 = now,
        by verifier: ProofVerifier? = nil
    ) throws(ProofRejection) -> ProofVerifier.Accepted {
        let text = Array(proof.utf8)
        return try (verifier ?? self.verifier).check(
            text.span, key: key, token: token.map { Array($0.utf8) }, now: now
        ) { $0 == "GET" && $1 == Self.url }
    }

    private func rejection(
        _ proof: String, key: [UInt8]? = nil, token: String? = nil, at now: Int64 = now,
        by verifier: ProofVerifier? = nil
    ) -> ProofRejection? {
        do throws(ProofRejection) {
            _ = try check(proof, key: key, token: token, at: now, by: verifier)
            return nil
        } catch {
            return error
        }
    }

    @Test("each asymmetric algorithm", arguments: SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
    func algorithms(_ algorithm: SignatureAlgorithm) throws {
        let maker = ProofMaker(algorithm)
        let accepted = try check(maker.proof(Self.url, at: Self.now, token: "t"), key: maker.thumbprint, token: "t")
        #expect(accepted.key == maker.thumbprint && !accepted.needsNonce)
    }

    @Test("a proof counts once, for each key")
    func replay() throws {
        let proof = maker.proof(Self.url, at: Self.now, id: "one")
        #expect(rejection(proof) == nil)
        #expect(rejection(proof) == .replayed)
        // With another signature over the same id.
        #expect(rejection(maker.proof(Self.url, at: Self.now + 1, id: "one")) == .replayed)
        #expect(rejection(ProofMaker().proof(Self.url, at: Self.now, id: "one")) == nil)
        for later: Int64 in [1, 30, 60] { #expect(rejection(proof, at: Self.now + later) == .replayed) }
    }

    @Test("what was refused may come again")
    func refusedIsNotUsed() throws {
        let proof = maker.proof(Self.url, at: Self.now)
        #expect(rejection(proof, key: ProofMaker().thumbprint) == .otherKey)
        #expect(rejection(proof, token: "t") == .otherToken)
        #expect(rejection(proof) == nil)
    }

    @Test("a proof of another key, request or token")
    func others() {
        let proof = maker.proof(Self.url, at: Self.now, token: "t")
        #expect(rejection(proof, key: ProofMaker().thumbprint, token: "t") == .otherKey)
        #expect(rejection(proof, token: "u") == .otherToken)
        #expect(rejection(maker.proof(Self.url, at: Self.now), token: "t") == .otherToken)
        #expect(rejection(maker.proof(Self.url, "POST", at: Self.now)) == .otherRequest)
        #expect(rejection(maker.proof(Self.url, "get", at: Self.now)) == .otherRequest)
        #expect(rejection(maker.proof(Self.url + "/x", at: Self.now)) == .otherRequest)
    }

    @Test("the time of a proof")
    func time() {
        let offsets: [(Int64, ProofRejection?)] = [
            (-61, .outOfTime), (-60, nil), (0, nil), (5, nil), (6, .outOfTime), (86_400, .outOfTime),
        ]
        for (offset, expected) in offsets {
            #expect(rejection(maker.proof(Self.url, at: Self.now + offset)) == expected, "\(offset)")
        }
    }

    @Test("only JWTs of the type dpop+jwt with a public key in the header")
    func malformed() throws {
        let publicKey = maker.jwk
        func header(_ members: String) -> String { #"{"typ":"dpop+jwt",\#(members)}"# }
        let d = base64URL(SecureRandom.bytes(32))
        let withPrivate = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map {
            header(#""alg":"ES256","jwk":\#(publicKey.dropLast()),"\#($0)":"\#(d)"}"#)
        }
        let headers =
            withPrivate + [
                #"{"typ":"JWT","alg":"ES256","jwk":\#(publicKey)}"#, #"{"alg":"ES256","jwk":\#(publicKey)}"#,
                header(#""alg":"none","jwk":\#(publicKey)"#), header(#""alg":"HS256","jwk":\#(publicKey)"#),
                header(#""alg":"ES384","jwk":\#(publicKey)"#), header(#""alg":"RS256","jwk":\#(publicKey)"#),
                header(#""alg":"HS256","jwk":{"kty":"oct","k":"\#(d)"}"#),
                header(#""alg":"ES256""#), header(#""alg":"ES256","jwk":"x""#), header(#""alg":"ES256","jwk":{}"#),
                header(#""alg":"ES256","jwk":\#(publicKey),"crit":["b64"]"#),
                header(#""alg":"ES256","jwk":\#(publicKey),"jwk":\#(ProofMaker().jwk)"#),
            ]
        for header in headers {
            #expect(rejection(maker.proof(Self.url, at: Self.now, header: header)) == .malformed, "\(header)")
        }
        let good = header(#""alg":"ES256","jwk":\#(publicKey)"#)
        #expect(rejection(maker.proof(Self.url, at: Self.now, header: good)) == nil)
        let claims = [
            "{}", #"{"jti":"a","htm":"GET","iat":\#(Self.now)}"#, #"{"jti":"a","htu":"\#(Self.url)","iat":1}"#,
            #"{"htm":"GET","htu":"\#(Self.url)","iat":\#(Self.now)}"#, #"{"jti":"a","htm":"GET","htu":"\#(Self.url)"}"#,
            #"{"jti":"","htm":"GET","htu":"\#(Self.url)","iat":\#(Self.now)}"#,
            #"{"jti":"a","htm":"GET","htu":"\#(Self.url)","iat":"\#(Self.now)"}"#,
            #"{"jti":"a","htm":"GET","htu":"\#(Self.url)","iat":1e300}"#,
            #"{"jti":"a","htm":"GET","htu":"\#(Self.url)","iat":\#(Self.now),"ath":7}"#,
            #"{"jti":"a","htm":"GET","htu":"\#(Self.url)","iat":\#(Self.now),"nonce":7}"#,
        ]
        for text in claims { #expect(rejection(maker.signed(good, text)) == .malformed, "\(text)") }
        for text in ["", ".", "..", "a.b.c", String(repeating: "a", count: 9000)] {
            #expect(rejection(text) == .malformed)
        }
    }

    @Test("a signature by another key than the one in the header")
    func foreignSignature() {
        let header = #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(ProofMaker().jwk)}"#
        #expect(rejection(maker.proof(Self.url, at: Self.now, header: header)) == .badSignature)
    }

    // MARK: Nonces

    private static func ring(_ byte: UInt8) throws -> AEADKeyRing {
        let bytes = [UInt8](repeating: byte, count: 32)
        let key = AEADKey(bytes.span)
        return try #require(AEADKeyRing([key].compactMap(\.self)))
    }

    @Test("a nonce is required where one is configured, and another one is due after half its life")
    func nonces() throws {
        let verifier = ProofVerifier(nonceKeys: try Self.ring(1))
        let sibling = ProofVerifier(nonceKeys: try Self.ring(1))
        let nonce = try #require(verifier.nonce(now: Self.now))
        func proof(_ nonce: String?, at time: Int64 = Self.now) -> String {
            maker.proof(Self.url, at: time, nonce: nonce)
        }
        #expect(rejection(proof(nil), by: verifier) == .nonceRequired)
        #expect(rejection(proof(nonce), by: verifier) == nil)
        // An instance with the same keys.
        #expect(try check(proof(nonce), by: sibling).needsNonce == false)
        #expect(try check(proof(nonce, at: Self.now + 200), at: Self.now + 200, by: verifier).needsNonce)
        #expect(rejection(proof(nonce, at: Self.now + 299), at: Self.now + 299, by: verifier) == nil)
        #expect(rejection(proof(nonce, at: Self.now + 300), at: Self.now + 300, by: verifier) == .nonceRequired)
    }

    @Test("a forged nonce, and one for another purpose")
    func forgedNonces() throws {
        let verifier = ProofVerifier(nonceKeys: try Self.ring(1))
        let stranger = ProofVerifier(nonceKeys: try Self.ring(2))
        let nonce = try #require(verifier.nonce(now: Self.now))
        let flipped = String(nonce.dropLast(4)) + (nonce.hasSuffix("AAAA") ? "BBBB" : "AAAA")
        let others = [
            "", "x", flipped, String(nonce.dropLast()),
            try #require(stranger.nonce(now: Self.now)),
            SealedRecord(keys: try Self.ring(1), purpose: "other").seal([], expiresAt: Self.now + 300),
        ]
        for other in others {
            #expect(rejection(maker.proof(Self.url, at: Self.now, nonce: other), by: verifier) == .nonceRequired)
        }
        // The first proof with a good nonce still counts.
        #expect(rejection(maker.proof(Self.url, at: Self.now, nonce: nonce), by: verifier) == nil)
        #expect(self.verifier.nonce(now: Self.now) == nil)
    }

    // MARK: The memory of used proofs

    private func remember(_ replays: ProofReplays, _ id: String, at now: Int64) throws -> Bool {
        let text = Array(maker.proof(Self.url, at: Self.now, id: id).utf8)
        return replays.remember(try PossessionProof(text.span), for: 66, now: now)
    }

    @Test("a proof is known for its whole life, whenever it came")
    func life() throws {
        let replays = ProofReplays()
        for (place, start) in stride(from: Self.now, to: Self.now + 200, by: 13).enumerated() {
            #expect(try remember(replays, "\(place)", at: start))
            for later in stride(from: Int64(0), through: 65, by: 5) {
                #expect(try !remember(replays, "\(place)", at: start + later))
            }
        }
        #expect(try remember(replays, "0", at: Self.now + 1000))
    }

    @Test("workers whose clocks differ forget nothing")
    func clocks() throws {
        let replays = ProofReplays()
        #expect(try remember(replays, "a", at: Self.now))
        for i in 0..<10 { #expect(try remember(replays, "x\(i)", at: Self.now - Int64(i % 2))) }
        #expect(try !remember(replays, "a", at: Self.now))
    }

    @Test("the memory is bounded, and forgets the oldest")
    func bounded() throws {
        let replays = ProofReplays(capacity: 4)
        for i in 0..<6 { #expect(try remember(replays, "\(i)", at: Self.now)) }
        #expect(try !remember(replays, "5", at: Self.now))
        for i in 6..<12 { #expect(try remember(replays, "\(i)", at: Self.now)) }
        #expect(try remember(replays, "0", at: Self.now))
    }
}

private func base64URL(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes.span, .url), as: UTF8.self) }
