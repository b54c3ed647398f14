/**
 * Reads an artifact chunk by chunk and compares it with the event's size and hash. It asks a busy machine again; any other
 * error ends the reading.
 */
import { CodedError, type CutValue, toCodedError } from '@roundhouse/backend-types'

export interface ReadPorts {
  chunk: (from: number) => Promise<{ bytes: ArrayBuffer; whole: number }>
  /** Waits before a busy machine is asked again. */
  pause: () => Promise<void>
  progress: (bytes: number) => void
  sha256: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>
}

const PATIENCE = 30

export async function readWhole(value: CutValue, ports: ReadPorts): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(value.bytes)
  for (let from = 0; from < value.bytes; ) {
    const { bytes, whole: size } = await patientChunk(from, ports)
    if (size !== value.bytes || bytes.byteLength === 0 || from + bytes.byteLength > size) throw another()
    whole.set(new Uint8Array(bytes), from)
    from += bytes.byteLength
    ports.progress(from)
  }
  if ((await ports.sha256(whole)) !== value.sha256) throw another()
  return whole
}

async function patientChunk(from: number, ports: ReadPorts): ReturnType<ReadPorts['chunk']> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ports.chunk(from)
    } catch (error) {
      if (toCodedError(error).code !== 'RATE_LIMITED' || tries === PATIENCE) throw error
      await ports.pause()
    }
  }
}

const another = () => new CodedError('ARTIFACT_GONE', 'The machine has other content in its place.')
