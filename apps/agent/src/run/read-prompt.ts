/** The prompt of a run: the argument, or all of stdin. Refused while it is read where it is too large, and where it is empty. */
import type { Readable } from 'node:stream'
import { CodedError, PROMPT_LIMIT_BYTES } from '@roundhouse/backend-types'

/** `given` null: from `input`. Rejects when `stopped` aborts. */
export async function readPrompt(given: string | null, input: Readable, stopped: AbortSignal): Promise<string> {
  const bytes = given === null ? await readAll(input, stopped) : Buffer.from(given)
  if (bytes.length > PROMPT_LIMIT_BYTES) throw tooLarge()
  const prompt = decoded(bytes)
  if (prompt.trim() === '') throw new CodedError('INVALID_ARGUMENT', 'The prompt is empty.')
  return prompt
}

async function readAll(input: Readable, stopped: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  const leave = () => input.destroy(new CodedError('INVALID_ARGUMENT', 'The prompt was not read to its end.'))
  stopped.addEventListener('abort', leave, { once: true })
  try {
    for await (const piece of input) {
      pieces.push(Buffer.from(piece))
      length += pieces.at(-1)?.length ?? 0
      if (length > PROMPT_LIMIT_BYTES) throw tooLarge()
    }
  } finally {
    stopped.removeEventListener('abort', leave)
  }
  return Buffer.concat(pieces)
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', 'The prompt is no UTF-8 text.', undefined, cause)
  }
}

const tooLarge = () =>
  new CodedError('PROMPT_TOO_LARGE', `A prompt has at most ${PROMPT_LIMIT_BYTES.toLocaleString('en-US')} bytes.`)
