import { createHash } from 'node:crypto'
import { CodedError, type CutValue } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { readWhole } from './read-whole'

const sha256 = async (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const text = 'The whole of an output that was cut.'
const value = async (of = text): Promise<CutValue> => ({
  cut: true,
  head: 'The',
  tail: 'cut.',
  bytes: Buffer.byteLength(of),
  sha256: await sha256(Buffer.from(of)),
  artifactId: 'a1',
})

/** A machine that sends ten bytes at once, after these refusals. */
function machine(has = text, refusals: CodedError[] = []) {
  const progress: number[] = []
  let pauses = 0
  const file = new Uint8Array(Buffer.from(has))
  const ports = {
    chunk: async (from: number) => {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      return { bytes: file.slice(from, from + 10).buffer, whole: file.length }
    },
    pause: async () => {
      pauses += 1
    },
    progress: (bytes: number) => void progress.push(bytes),
    sha256,
  }
  return { ports, progress, pauses: () => pauses }
}

describe('the whole of what was cut', () => {
  it('[LOG-6.16] is put together from its chunks, and says how far it is', async () => {
    const { ports, progress } = machine()
    expect(Buffer.from(await readWhole(await value(), ports)).toString()).toBe(text)
    expect(progress).toEqual([10, 20, 30, 36])
  })

  it('[LOG-6.16] is no other text of another size, of the same size, or one that ends early', async () => {
    for (const other of [`${text}!`, text.replace('cut', 'got'), ''])
      await expect(readWhole(await value(), machine(other).ports), other).rejects.toMatchObject({
        code: 'ARTIFACT_GONE',
      })
  })

  it('[LOG-6] waits for a busy machine, and ends with any other refusal', async () => {
    const busy = machine(text, [new CodedError('RATE_LIMITED'), new CodedError('RATE_LIMITED')])
    await readWhole(await value(), busy.ports)
    expect(busy.pauses()).toBe(2)
    const away = machine(text, [new CodedError('AGENT_OFFLINE')])
    await expect(readWhole(await value(), away.ports)).rejects.toMatchObject({ code: 'AGENT_OFFLINE' })
    const forever = machine(
      text,
      Array.from({ length: 50 }, () => new CodedError('RATE_LIMITED')),
    )
    await expect(readWhole(await value(), forever.ports)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })
})
