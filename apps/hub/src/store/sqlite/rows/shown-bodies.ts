/**
 * Bodies of commands that are larger than a view has use for (VIEW-9), as far as it has: a view is composed at each change, and
 * fifty prompts of 1 MiB would be read from the file each time. Each is read once; its size, which SQLite knows without reading it,
 * tells it from another.
 */
import type { CommandBody } from '@roundhouse/backend-types'

/** UTF-8 bytes. */
export const LONG_BODY_BYTES = 16_384
/** UTF-16 units: more than an account shows of a queued prompt, so that its writer can still be told (VIEW-8). */
const KEPT_TEXT = 131_073
const MOST = 100

export interface ShownBody {
  body: CommandBody
  textLength?: number
}

export class ShownBodies {
  readonly #kept = new Map<string, ShownBody>()

  /** `read` gives the whole; null where it cannot be read. */
  of(commandId: string, bytes: number, read: () => CommandBody | null): ShownBody | null {
    const key = `${commandId} ${bytes}`
    const known = this.#kept.get(key)
    this.#kept.delete(key)
    const whole = known ? null : read()
    const shown = known ?? (whole === null ? null : shownOf(whole))
    if (shown) this.#kept.set(key, shown)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest)
    return shown
  }
}

function shownOf(body: CommandBody): ShownBody {
  if (body.kind === 'session.create') {
    if (!body.prompt) return { body }
    const { text } = body.prompt
    const prompt = { ...body.prompt, text: text.slice(0, KEPT_TEXT) }
    return { body: { ...body, prompt }, textLength: text.length }
  }
  if ('text' in body) {
    const { text } = body
    return { body: { ...body, text: text.slice(0, KEPT_TEXT) }, textLength: text.length }
  }
  return { body: { kind: body.kind } as CommandBody }
}
