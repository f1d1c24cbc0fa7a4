#if SAML
    import Identity
    import TestSupport
    import Testing

    /// Times in assertions (SAML core section 1.3.3).
    @Suite struct SAMLInstantTests {
        private func notBefore(_ text: String) throws -> Int64? {
            var forge = SAMLForge(key: Assertion.key, now: Assertion.now)
            forge.validFrom = nil
            forge.validFor = nil
            // What is signed over is what stands there in the end.
            forge.more = ""
            let plain = "<saml:Conditions>"
            let timed = #"<saml:Conditions NotBefore="\#(text)">"#
            let signature = forge.signature(of: forge.unsigned.replacing(plain, with: timed), id: forge.id)
            let document = forge.unsigned.replacing(plain, with: timed)
                .replacing("</saml:Issuer>", with: "</saml:Issuer>\(signature)")
            return try SAMLVerifierTests.assertion(document).notBefore
        }

        @Test(
            "instants are parsed",
            arguments: [
                ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696),
                ("2027-01-15T08:00:00Z", 1_800_000_000),
                ("2027-01-15T08:00:00.999999Z", 1_800_000_000), ("2027-01-15T08:00:00", 1_800_000_000),
                ("2027-01-15T10:00:00+02:00", 1_800_000_000), ("2027-01-14T22:30:00-09:30", 1_800_000_000),
                ("2027-01-15T07:59:60Z", 1_800_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800),
                ("9999-12-31T23:59:59Z", 253_402_300_799),
            ])
        func times(_ text: String, _ seconds: Int64) throws {
            #expect(try notBefore(text) == seconds)
        }

        @Test(
            "malformed instants are refused",
            arguments: [
                "", "now", "2027-01-15", "2027-01-15T08:00Z", "2027-1-15T08:00:00Z", "2027-13-15T08:00:00Z",
                "2027-02-29T08:00:00Z", "1900-02-29T08:00:00Z", "2027-04-31T08:00:00Z", "2027-01-00T08:00:00Z",
                "2027-01-15T24:00:00Z", "2027-01-15T08:60:00Z", "2027-01-15T08:00:61Z", "2027-01-15T08:00:00.Z",
                "2027-01-15T08:00:00z", "2027-01-15T08:00:00+2", "2027-01-15T08:00:00+15:00", "2027-01-15T08:00:00Z ",
                "0000-01-01T00:00:00Z", "12027-01-15T08:00:00Z", "-2027-01-15T08:00:00Z",
            ])
        func noTimes(_ text: String) {
            #expect(throws: SAMLRejection.malformed) { try notBefore(text) }
        }
    }
#endif
