/// When a certificate of the gateway ends, for `/metrics`.
package struct CertificateEnd: Sendable {
    /// Its place in the configuration (JSON pointer).
    package var pointer: String
    /// Its host names, or else its subject.
    package var name: String
    /// Its last second, since 1970.
    package var end: Int64

    package init(pointer: String, name: String, end: Int64) {
        self.pointer = pointer
        self.name = name
        self.end = end
    }
}
