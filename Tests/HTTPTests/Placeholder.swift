import Testing

@Test func placeholderHTTP() {}
