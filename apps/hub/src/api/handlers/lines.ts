/**
 * Answers as they come: one JSON object a line, or one JSON document with blanks before it while it is not there. Nothing is made
 * before the last was taken, so a slow reader costs one lot; one that takes nothing for a minute loses its connection, and comes
 * back by its cursor.
 */
import { OwnResponse } from './own-response'

interface Source {
  /** Lots of objects. An empty one only says that the connection lives. */
  lots: AsyncGenerator<readonly object[]>
  /** What comes behind the last lot. */
  last?: () => Promise<object>
  headers: Record<string, string>
  /** Called once, however it ends. */
  ended: () => void
  stallMs?: number
}

const STALL_MS = 60_000
const encoder = new TextEncoder()

export class Lines extends OwnResponse {
  constructor(private readonly source: Source) {
    super()
  }

  response(): Response {
    const { source } = this
    const textOf = source.last ? () => ' ' : linesOf
    const body = new ReadableStream<Uint8Array>(takenInTime(source, textOf), { highWaterMark: 0 })
    const type = source.last ? 'application/json' : 'application/x-ndjson'
    return new Response(body, { headers: { 'content-type': type, ...source.headers } })
  }

  override dispose(): void {
    void finish(this.source)
  }
}

const linesOf = (lot: readonly object[]): string =>
  lot.length === 0 ? '\n' : lot.map((one) => `${JSON.stringify(one)}\n`).join('')

async function finish({ lots, ended }: Source): Promise<void> {
  ended()
  await lots.return(undefined)
}

function takenInTime(source: Source, textOf: (lot: readonly object[]) => string): UnderlyingDefaultSource<Uint8Array> {
  const { lots, last, stallMs = STALL_MS } = source
  let stalled: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(stalled)
    return finish(source)
  }
  const expectReader = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    stalled = setTimeout(() => {
      controller.error(new Error('The reader takes nothing.'))
      void end()
    }, stallMs)
  }
  return {
    start: expectReader, // it may take not even the first
    async pull(controller) {
      clearTimeout(stalled)
      try {
        const { value, done } = await lots.next()
        const text = done ? last && JSON.stringify(await last()) : textOf(value)
        if (text) controller.enqueue(encoder.encode(text))
        if (done) {
          await end()
          controller.close()
          return
        }
      } catch (error) {
        await end()
        throw error // the connection breaks off, so that nobody takes it for the end
      }
      expectReader(controller)
    },
    cancel: end,
  }
}
