/** Returns uploaded bytes as a download, never under their own type, so that no browser opens, runs or frames them. */
import { OwnResponse } from './own-response'

export class Download extends OwnResponse {
  constructor(
    private readonly bytes: Uint8Array,
    /** Letters, digits, dots and dashes. */
    private readonly name: string,
    /** Where these bytes begin in a whole that is larger, and its size. */
    private readonly part?: { from: number; whole: number },
  ) {
    super()
  }

  response(): Response {
    const { bytes, part } = this
    return new Response(new Uint8Array(bytes), {
      status: part && bytes.length > 0 ? 206 : 200,
      headers: {
        ...(part ? { 'content-range': rangeOf(bytes.length, part) } : {}),
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${this.name}"`,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
      },
    })
  }
}

const rangeOf = (length: number, { from, whole }: { from: number; whole: number }) =>
  length > 0 ? `bytes ${from}-${from + length - 1}/${whole}` : `bytes */${whole}`
