import Bytes
import Crypto
import Model

/// Signs tokens in compact serialisation.
package struct JWTSigner: Sendable {
    package let key: SigningKey
    package let keyID: String

    /// - Parameter keyID: the `kid` of the tokens and of the published key.
    package init(key: SigningKey, keyID: String) {
        self.key = key
        self.keyID = keyID
    }

    /// A signer whose `kid` is the key's thumbprint (RFC 7638), or `secret` for a shared secret.
    package init(key: SigningKey) {
        let published = JSONWebKey(key, kid: nil)
        self.init(key: key, keyID: published.thumbprint ?? "secret")
    }

    /// The published verification key.
    package var publishedKey: JSONWebKey { JSONWebKey(key, kid: keyID) }

    /// Signs claims, which are a JSON object. Slow for RSA keys, see `SigningKey.isSlow`.
    /// - Parameter type: the `typ` of the header, such as `at+jwt` for access tokens (RFC 9068).
    package func sign(claims: [UInt8], type: String = "JWT") -> [UInt8] {
        var header = JSONWriter()
        header.beginObject()
        header.member("alg", key.algorithm.rawValue)
        header.member("typ", type)
        header.member("kid", keyID)
        header.endObject()
        var token = Base64.encode(header.bytes.span, .url)
        token.append(ASCII.dot)
        token += Base64.encode(claims.span, .url)
        let signature = key.sign(token.span)
        token.append(ASCII.dot)
        token += Base64.encode(signature.span, .url)
        return token
    }
}
