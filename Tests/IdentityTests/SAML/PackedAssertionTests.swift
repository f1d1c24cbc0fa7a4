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

        /// The gzip stream of a packed text.
        private func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
            let packed = try PackedAssertion.pack(bytes)
            return Base64.decode(packed.span) ?? []
        }

        private func rejection(_ packed: [UInt8]) -> SAMLRejection? {
            do throws(SAMLRejection) {
                _ = try PackedAssertion.unpack(packed)
                return nil
            } catch {
                return error
            }
        }

        @Test("both Base64 alphabets, with and without padding, are accepted in three forms", arguments: 0..<4)
        func forms(_ blanks: Int) throws {
            let text = Self.text + String(repeating: " ", count: blanks)
            let bytes = Array(text.utf8)
            let gzip = try compressed(bytes)
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

        @Test(
            "invalid input is refused",
            arguments: [
                "", "=", "A", "AAAA", "AAAA=", "====", "A+-A", "ÄÄÄÄ", "PGE+PC9hPg=", "not base64!", "H4sIAAAA", "H4sI",
            ])
        func rubbish(_ text: String) {
            #expect(rejection(Array(text.utf8)) == .malformedPackage)
        }

        @Test("a truncated stream, or one with trailing bytes, is refused")
        func wholeStreamsAlone() throws {
            let gzip = try compressed(Array(Self.text.utf8))
            for count in 2..<gzip.count {
                let start = Array(gzip.prefix(count))
                let packed = Base64.encode(start.span)
                #expect(rejection(packed) == .malformedPackage)
            }
            for more in [[0], gzip] {
                let long = gzip + more
                let packed = Base64.encode(long.span)
                #expect(rejection(packed) == .malformedPackage)
            }
        }

        @Test("decompression stops at the limit")
        func bombs() throws {
            let bomb = try PackedAssertion.pack([UInt8](repeating: 0x20, count: 40_000_000))
            #expect(bomb.count < PackedAssertion.maximumBytes)
            #expect(rejection(bomb) == .tooLarge)
            // Not over the limit, but nothing that a client would write.
            let blanks = try PackedAssertion.pack([UInt8](repeating: 0x20, count: XMLBounds.bytes))
            #expect(rejection(blanks) == .tooLarge)
            let small = try PackedAssertion.pack([UInt8](repeating: 0x20, count: PackedAssertion.maximumBytes))
            #expect(try PackedAssertion.unpack(small).count == PackedAssertion.maximumBytes)
            #expect(rejection([UInt8](repeating: 0x41, count: PackedAssertion.maximumBytes + 1)) == .tooLarge)
        }
    }
#endif
