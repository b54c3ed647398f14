/**
 * Frames are JSON. A packet that announces binary attachments is refused before anything is kept for it (T15), and one that
 * no program of ours could write, so deeply does it nest, before it is parsed (T2): either closes the connection.
 */
import { Decoder, Encoder } from 'socket.io-parser'
import { isTooDeepText, MAX_FRAME_DEPTH } from '../core'

class JsonDecoder extends Decoder {
  constructor() {
    super({ maxAttachments: 0 })
  }

  override add(packet: unknown): void {
    if (typeof packet === 'string' && isTooDeepText(packet, MAX_FRAME_DEPTH)) throw new Error('nested too deeply')
    super.add(packet)
  }
}

export const jsonOnlyParser = { Encoder, Decoder: JsonDecoder }
