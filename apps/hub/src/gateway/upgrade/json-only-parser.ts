/**
 * Frames are JSON. A packet that announces binary attachments is refused before anything is kept for it (T15). One that
 * nests too deeply is not parsed (T2): its verb is delivered without content, and so answered as malformed.
 */
import { Decoder, Encoder } from 'socket.io-parser'
import { isTooDeepText, MAX_FRAME_DEPTH } from '../../core'

/** An event of a namespace, perhaps with the number of its answer, up to its content. */
const verbOfEvent = /^2(?:\/[\w-]{1,32},)?\d{0,10}\["[\w.]{1,64}"/

class JsonDecoder extends Decoder {
  constructor() {
    super({ maxAttachments: 0 })
  }

  override add(packet: unknown): void {
    super.add(typeof packet === 'string' && isTooDeepText(packet, MAX_FRAME_DEPTH) ? withoutContent(packet) : packet)
  }
}

/** Throws for what is no event: that closes the connection. */
function withoutContent(packet: string): string {
  const verb = verbOfEvent.exec(packet)?.[0]
  if (verb === undefined) throw new Error('nested too deeply')
  return `${verb},null]`
}

export const jsonOnlyParser = { Encoder, Decoder: JsonDecoder }
