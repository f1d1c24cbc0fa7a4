#if SAML
    import Bytes
    import Identity
    import Testing

    /// How assertions travel (SAML-03).
    @Suite struct PackedAssertionTests {
        private static let text = "<a>\(String(repeating: "Zoë?>~", count: 40))</a>"

        private func unpacked(_ packed: [UInt8]) throws -> String {
            String(decoding: try PackedAssertion.unpack(packed), as: UTF8.self)
        }

        /// Both alphabets, with padding and without, in three forms.
        @Test(arguments: 0..<4)
        func forms(_ blanks: Int) throws {
            let text = Self.text + String(repeating: " ", count: blanks)
            let bytes = Array(text.utf8)
            let gzip = try #require(Base64.decode(try PackedAssertion.pack(bytes).span))
            #expect(gzip.starts(with: [0x1F, 0x8B]))
            for form in [gzip, try PackedAssertion.deflate(bytes), bytes] {
                for alphabet in [Base64.Alphabet.standard, .url] {
                    for padding in [true, false] {
                        let packed = Base64.encode(form.span, alphabet, padding: padding)
                        #expect(try unpacked(packed) == text)
                        #expect(try unpacked(Array(packed.prefix(9)) + [0x0D, 0x0A] + packed.dropFirst(9)) == text)
                    }
                }
            }
        }

        @Test(arguments: [
            "", "=", "A", "AAAA", "AAAA=", "====", "A+-A", "ÄÄÄÄ", "PGE+PC9hPg=", "not base64!", "H4sIAAAA", "H4sI",
        ])
        func rubbish(_ text: String) {
            #expect(throws: SAMLRejection.malformedPackage) { try PackedAssertion.unpack(Array(text.utf8)) }
        }

        /// Cut anywhere, or with something behind it, a stream is nothing.
        @Test func wholeStreamsAlone() throws {
            let gzip = try #require(Base64.decode(try PackedAssertion.pack(Array(Self.text.utf8)).span))
            for count in 2..<gzip.count {
                let packed = Base64.encode(Array(gzip.prefix(count)).span)
                #expect(throws: SAMLRejection.malformedPackage) { try PackedAssertion.unpack(packed) }
            }
            for more in [[0], gzip] {
                let packed = Base64.encode((gzip + more).span)
                #expect(throws: SAMLRejection.malformedPackage) { try PackedAssertion.unpack(packed) }
            }
        }

        /// What is small and becomes large is stopped on the way.
        @Test func bombs() throws {
            let bomb = try PackedAssertion.pack([UInt8](repeating: 0x20, count: 40_000_000))
            #expect(bomb.count < PackedAssertion.maximumBytes)
            #expect(throws: SAMLRejection.tooLarge) { try PackedAssertion.unpack(bomb) }
            // Not over the limit, but nothing that anybody would write.
            let blanks = try PackedAssertion.pack([UInt8](repeating: 0x20, count: XMLBounds.bytes))
            #expect(throws: SAMLRejection.tooLarge) { try PackedAssertion.unpack(blanks) }
            let small = try PackedAssertion.pack([UInt8](repeating: 0x20, count: PackedAssertion.maximumBytes))
            #expect(try PackedAssertion.unpack(small).count == PackedAssertion.maximumBytes)
            #expect(throws: SAMLRejection.tooLarge) {
                try PackedAssertion.unpack([UInt8](repeating: 0x41, count: PackedAssertion.maximumBytes + 1))
            }
        }
    }
#endif
