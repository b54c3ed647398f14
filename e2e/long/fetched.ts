/** What lies beside a log, as anybody gets it from the hub: the whole of what was cut, and the images of prompts. */
import { type CutValue, isCutValue, type SessionEvent } from '@roundhouse/backend-types'
import type { Rig } from '../support/rigs/rig'
import { digestOf } from './images'

/** The same events with all that was cut. Throws where the hub gives back anything but what an event told. */
export async function withWholes(
  rig: Rig,
  sessionId: string,
  events: readonly SessionEvent[],
): Promise<SessionEvent[]> {
  const whole: SessionEvent[] = []
  for (const event of events) {
    if (event.kind === 'user_message') await requireImages(rig, sessionId, event.images ?? [])
    if (event.kind === 'tool_result' && isCutValue(event.output))
      whole.push({ ...event, output: parsed(await wholeOf(rig, sessionId, event.output)) })
    else whole.push(event)
  }
  return whole
}

async function requireImages(rig: Rig, sessionId: string, images: ReadonlyArray<{ imageId: string; sha256: string }>) {
  for (const { imageId, sha256 } of images) {
    const found = digestOf(new Uint8Array(await rig.rest.image(sessionId, imageId)))
    if (found !== sha256) throw new Error(`the image ${imageId} is ${found} instead of ${sha256}`)
  }
}

/** Chunk by chunk, as a page asks for it. */
export async function wholeOf(rig: Rig, sessionId: string, { artifactId, bytes, sha256 }: CutValue): Promise<Buffer> {
  if (artifactId === undefined) throw new Error(`nothing was kept of ${bytes} bytes`)
  const chunks: Buffer[] = []
  for (let from = 0; from < bytes; from += chunks.at(-1)?.length ?? 0) {
    const chunk = await rig.rest.artifact(sessionId, artifactId, from)
    chunks.push(Buffer.from(chunk.bytes))
  }
  const whole = Buffer.concat(chunks)
  if (digestOf(whole) !== sha256) throw new Error(`the artifact ${artifactId} is another than its event tells`)
  return whole
}

function parsed(whole: Buffer): unknown {
  try {
    return JSON.parse(whole.toString('utf8'))
  } catch {
    return whole.toString('utf8')
  }
}
