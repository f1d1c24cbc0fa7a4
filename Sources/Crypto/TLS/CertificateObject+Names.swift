import COpenSSL
import Glibc
import Model

extension CertificateObject {
    /// The supported names of the subjectAltName extension (RFC 5280 section 4.2.1.6).
    struct AlternativeNames {
        /// Whether the certificate has the extension.
        var isPresent = false
        /// Whether no name was left out for malformed text.
        var isReadable = true
        var hosts: [String] = []
        var mailboxes: [String] = []
        var uris: [String] = []
        var addresses: [String] = []
    }

    var alternativeNames: AlternativeNames {
        var result = AlternativeNames()
        // SAFETY: the list is ours until it is freed; each name's bytes are copied before that.
        guard let names = unsafe copenssl_alternative_names(pointer) else {
            OpenSSLLibrary.clearErrors()
            return result
        }
        defer { unsafe copenssl_free_alternative_names(names) }
        result.isPresent = true
        for index in 0..<(unsafe copenssl_alternative_name_count(names)) {
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            let kind = unsafe copenssl_alternative_name(names, index, &start, &count)
            guard kind >= 0 else { continue }
            guard let start = unsafe start, count > 0 else {
                result.isReadable = false
                continue
            }
            let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
            result.add(bytes, kind: kind)
        }
        return result
    }

    /// The most specific common name, if it is readable text.
    var commonName: String? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe copenssl_common_name(pointer, &start)
        OpenSSLLibrary.clearErrors()
        guard count > 0, let start = unsafe start else { return nil }
        // SAFETY: libcrypto made a copy of `count` bytes for us to free.
        defer { unsafe copenssl_free(start) }
        let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
        // Names with a NUL are refused: C code would read only the first half of `good.example\0.evil.example`.
        return bytes.contains(0) ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The subject as values, the most specific first; nil if a value is no text or has NUL.
    var name: DistinguishedName? {
        var parts: [[DistinguishedName.Attribute]] = []
        var last: Int32 = -1
        for index in 0..<(unsafe copenssl_subject_attribute_count(pointer)) {
            var type = [CChar](repeating: 0, count: 128)
            var start: UnsafeMutablePointer<UInt8>?
            var set: Int32 = 0
            let count = unsafe copenssl_subject_attribute(
                pointer, index, &type, Int32(type.count), &set, &start)
            OpenSSLLibrary.clearErrors()
            guard count >= 0, let start = unsafe start else { return nil }
            // SAFETY: libcrypto made a copy of `count` bytes for us to free.
            defer { unsafe copenssl_free(start) }
            let value = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
            if value.contains(0) { return nil }
            let attribute = DistinguishedName.Attribute(
                type: type.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, value: value)
            if parts.isEmpty || set != last { parts.append([]) }
            parts[parts.count - 1].append(attribute)
            last = set
        }
        return DistinguishedName(parts: parts.reversed())
    }

    /// The subject in the form of RFC 4514.
    var subject: String {
        // SAFETY: the sink is freed on leaving; the copy is of as many bytes as it says it holds.
        guard let sink = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(sink) }
        guard unsafe copenssl_print_subject(sink, pointer) >= 0 else {
            OpenSSLLibrary.clearErrors()
            return ""
        }
        let count = unsafe BIO_ctrl_pending(sink)
        guard count > 0 else { return "" }
        let text = unsafe [UInt8].filled(capacity: count) { out in unsafe Int(BIO_read(sink, out, Int32(count))) }
        return String(decoding: text ?? [], as: UTF8.self)
    }
}

extension CertificateObject.AlternativeNames {
    /// Adds a name; text with non-ASCII or control characters is invalid and left out.
    fileprivate mutating func add(_ bytes: [UInt8], kind: Int32) {
        if kind == GEN_IPADD {
            guard let address = CertificateObject.addressText(bytes) else {
                isReadable = false
                return
            }
            addresses.append(address)
            return
        }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            isReadable = false
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case GEN_DNS: hosts.append(text.lowercased())
        case GEN_EMAIL: mailboxes.append(text)
        case GEN_URI: uris.append(text)
        default: break
        }
    }
}

extension CertificateObject {
    /// The text of an address of 4 or 16 bytes.
    fileprivate static func addressText(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: 64)
        // SAFETY: the family says how many bytes are read; at most the text's length is written, with a NUL.
        let made = unsafe inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        guard unsafe made != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
