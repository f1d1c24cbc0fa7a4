import Bytes
import HTTP
import Model
import Testing

/// Fields in which proxies tell the certificates of their clients.
@Suite struct ForwardedCertificateTests {
    private static let one: [UInt8] = [0x30, 1, 2, 3]
    private static let two: [UInt8] = [0x30, 250, 251, 252, 253]

    private static func base64(_ certificate: [UInt8]) -> String {
        String(decoding: Base64.encode(certificate.span), as: UTF8.self)
    }

    private static func pem(_ certificates: [[UInt8]], label: String = "CERTIFICATE", lineEnd: String = "\n") -> String
    {
        let blocks = certificates.map {
            "-----BEGIN \(label)-----\(lineEnd)\(base64($0))\(lineEnd)-----END \(label)-----\(lineEnd)"
        }
        return FormEncoding.encode(blocks.joined())
    }

    private static func read(
        _ format: ClientCertificateFormat, _ value: String, chain: String = "", hops: Int = 1
    ) throws(ClientCertificateFieldError) -> ForwardedCertificate? {
        let bytes = Array(value.utf8)
        return try ForwardedCertificate.read(format, bytes.span, chain: Array(chain.utf8), hops: hops)
    }

    @Test("what Envoy writes: certificate and chain count, text about names does not")
    func xfcc() throws {
        let cert = "Cert=\"\(Self.pem([Self.one]))\""
        let full = """
            By=spiffe://a/b;Hash=AB12;\(cert);Chain="\(Self.pem([Self.one, Self.two]))";\
            Subject="CN=a\\"b,O=x;y=z";URI=spiffe://c/d;DNS=a.example;DNS=b.example
            """
        #expect(
            try Self.read(.xfcc, full)
                == ForwardedCertificate(leaf: Self.one, issuers: [Self.two], digest: Array("AB12".utf8))
        )
        #expect(try Self.read(.xfcc, cert)?.leaf == Self.one)
        #expect(try Self.read(.xfcc, "cert=\(Self.pem([Self.one], lineEnd: "\r\n"));URI=")?.leaf == Self.one)
        #expect(try Self.read(.xfcc, "") == nil)
        // The first of as many elements as there are proxies is about the client; with fewer it has shown none.
        let other = "Cert=\"\(Self.pem([Self.two]))\""
        #expect(try Self.read(.xfcc, "\(cert), \(other)", hops: 2)?.leaf == Self.one)
        #expect(try Self.read(.xfcc, other, hops: 2) == nil)
    }

    @Test("more elements than proxies are refused")
    func forgedElement() {
        let element = "Cert=\"\(Self.pem([Self.one]))\""
        #expect(throws: ClientCertificateFieldError.tooManyElements) {
            try Self.read(.xfcc, "\(element),\(element)")
        }
        #expect(throws: ClientCertificateFieldError.tooManyElements) {
            try Self.read(.xfcc, "\(element),\(element),\(element)", hops: 2)
        }
    }

    private static let malformed: [(ClientCertificateFormat, String)] = [
        (.xfcc, "Subject=\"CN=root\""), (.xfcc, "Hash=ab"), (.xfcc, "Cert="), (.xfcc, "Cert=\"\""),
        (.xfcc, "Cert=\"\(pem([one]))"), (.xfcc, "Cert=\"\(pem([one]))\"x"), (.xfcc, "Cert=\(pem([one]))\""),
        (.xfcc, "Cert=\(pem([one]));"), (.xfcc, "Cert=\(pem([one])),"), (.xfcc, ",Cert=\(pem([one]))"),
        (.xfcc, "Cert=\(pem([one]));Cert=\(pem([one]))"), (.xfcc, "Cert=\(pem([one]));Chain=\(pem([two]))"),
        (.xfcc, "Cert=\(pem([one, two]))"), (.xfcc, "Cert=\(pem([one]));Hash=a;Hash=b"),
        (.xfcc, "Cert=\(pem([one]));Subject=a;Subject=b"), (.xfcc, "Cert=\(pem([one]));Other=a"), (.xfcc, "Cert"),
        (.xfcc, "Cert =\(pem([one]))"), (.xfcc, pem([one])), (.xfcc, "Subject=\"a\\"),
        (.xfcc, "Chain=\(pem(Array(repeating: one, count: 20)))"),
        (.xfcc, "Cert=\(pem([one], label: "TRUSTED CERTIFICATE"))"),
        (.pem, "x"), (.pem, pem([one, two])), (.pem, pem([one]) + "x"), (.pem, "x" + pem([one])), (.pem, "%"),
        (.pem, pem([one]) + "%zz"), (.pem, pem([[]])), (.pem, pem([one]).replacing("MAEC", with: "MAE!")),
        (.pem, pem([one], label: "TRUSTED CERTIFICATE")), (.pem, "-----BEGIN%20CERTIFICATE-----%0AMAECAw=="),
        (.standard, base64(one)), (.standard, ":"), (.standard, "::"), (.standard, ":\(base64(one)):;a=b"),
        (.standard, ":\(base64(one)):, :\(base64(one)):"), (.standard, ": \(base64(one)):"), (.standard, ":A:"),
        (.standard, "\"\(base64(one))\""),
    ]

    @Test("text that is not exactly a certificate is refused", arguments: malformed.indices)
    func refused(_ index: Int) {
        let (format, value) = Self.malformed[index]
        #expect(throws: ClientCertificateFieldError.malformed, "\(value)") { try Self.read(format, value) }
    }

    @Test("nginx's escaped certificate, and Client-Cert of RFC 9440 with its chain")
    func others() throws {
        #expect(try Self.read(.pem, Self.pem([Self.one])) == ForwardedCertificate(leaf: Self.one))
        #expect(try Self.read(.pem, "") == nil && Self.read(.standard, "") == nil)
        let field = ":\(Self.base64(Self.one)):"
        #expect(try Self.read(.standard, field) == ForwardedCertificate(leaf: Self.one))
        let chain = ":\(Self.base64(Self.two)):, \(field)"
        #expect(
            try Self.read(.standard, field, chain: chain)
                == ForwardedCertificate(leaf: Self.one, issuers: [Self.two, Self.one]))
        for bad in [":", "\(chain),", ",\(chain)", "x", Array(repeating: field, count: 9).joined(separator: ",")] {
            #expect(throws: ClientCertificateFieldError.malformed) { try Self.read(.standard, field, chain: bad) }
        }
    }

    @Test("what is written is read again, with any characters in the names")
    func written() throws {
        for subject in ["CN=a", #"CN=a\,b\"c,O=x;y"#, "CN=Zoë\r\nX: y"] {
            let element = XFCCElements.element(
                digest: Array("ab".utf8), certificate: Self.two, subject: subject, uris: ["spiffe://a/b,c"],
                hosts: ["a.example", "b"])
            #expect(element.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            #expect(
                try ForwardedCertificate.read(.xfcc, element.span)
                    == ForwardedCertificate(leaf: Self.two, digest: Array("ab".utf8)))
        }
    }
}
