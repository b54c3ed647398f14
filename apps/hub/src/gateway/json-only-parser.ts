/** Frames are JSON. A packet that announces binary attachments is refused before anything is kept for it (T15). */
import { Decoder, Encoder } from 'socket.io-parser'

class JsonDecoder extends Decoder {
  constructor() {
    super({ maxAttachments: 0 })
  }
}

export const jsonOnlyParser = { Encoder, Decoder: JsonDecoder }
