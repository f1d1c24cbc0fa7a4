import Testing

@Test func placeholderBytes() {}
