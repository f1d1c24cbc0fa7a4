import Testing

@Test func placeholderCrypto() {}
