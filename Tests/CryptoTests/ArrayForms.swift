import Bytes
import Crypto
import Model

// A span cannot pass through `#expect`: the calls under test, in a form that takes arrays.

extension DigestAlgorithm {
    func digest(_ bytes: [UInt8]) -> [UInt8] { digest(bytes.span) }
    func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] { hmac(key: key.span, message.span) }
}

extension AEADKey {
    convenience init?(_ key: [UInt8]) { self.init(key.span) }

    func seal(_ plaintext: [UInt8], authenticating: [UInt8]) -> [UInt8] {
        seal(plaintext.span, authenticating: authenticating.span)
    }

    func open(_ sealed: [UInt8], authenticating: [UInt8]) -> [UInt8]? {
        open(sealed.span, authenticating: authenticating.span)
    }
}

extension AEADKeyRing {
    func seal(_ plaintext: [UInt8], authenticating: [UInt8]) -> [UInt8] {
        seal(plaintext.span, authenticating: authenticating.span)
    }

    func open(_ sealed: [UInt8], authenticating: [UInt8]) -> [UInt8]? {
        open(sealed.span, authenticating: authenticating.span)
    }
}

extension PasswordHasher {
    func verify(_ password: [UInt8], stored: String) -> Bool { verify(password.span, stored: stored) }

    func make(
        _ password: [UInt8], scheme: PasswordScheme = .scrypt, saltBits: Int = 128
    ) throws(PasswordError) -> String {
        try make(password.span, scheme: scheme, saltBits: saltBits)
    }
}

extension SigningKey {
    func sign(_ message: [UInt8]) -> [UInt8] { sign(message.span) }
}

extension VerificationKey {
    func verify(_ signature: [UInt8], of message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        verify(signature.span, of: message.span, algorithm)
    }
}

func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEqual(left.span, right.span) }

func base64(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    return Base64.decode(text.span)
}
