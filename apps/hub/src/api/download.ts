/** Bytes that somebody sent, given back: never as what they may be, so that no browser opens, runs or frames them. */
export class Download {
  constructor(
    private readonly bytes: Uint8Array,
    /** Letters, digits, dots and dashes. */
    private readonly name: string,
  ) {}

  response(): Response {
    return new Response(new Uint8Array(this.bytes), {
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${this.name}"`,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
      },
    })
  }
}
