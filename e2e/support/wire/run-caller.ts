/** Who starts runs over REST with a token, as a script does: it hears lines, breaks off, and comes back with a cursor. */
import { RunEvent, RunView } from '@roundhouse/backend-types'

export class RunCaller {
  #keys = 0

  constructor(
    private readonly hubUrl: () => string,
    readonly token: string,
  ) {}

  newKey(): string {
    return `key-of-run-${++this.#keys}`
  }

  /** With a key of its own. */
  readonly send = (
    method: string,
    place: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${this.hubUrl()}/api/v1${place}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        'idempotency-key': this.newKey(),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  /** Does not wait for it. Resolves to its id. */
  async start(request: object): Promise<string> {
    const answer = await (await this.send('POST', '/runs?wait=false', request)).json()
    return RunView.parse(answer).runId
  }

  async get(runId: string): Promise<RunView> {
    return RunView.parse(await (await this.send('GET', `/runs/${runId}`)).json())
  }

  /** What comes behind a cursor, to the end. */
  async rest(runId: string, after: string | undefined): Promise<RunEvent[]> {
    return readRun(await this.send('GET', `/runs/${runId}/events${after === undefined ? '' : `?after=${after}`}`))
  }
}

/** The whole lines of a stream, until it ends or breaks off; `enough` lets go of it. */
export async function readRun(
  response: Response,
  enough: (events: RunEvent[]) => boolean = () => false,
): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  let rest = ''
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      const lines = (rest + new TextDecoder().decode(chunk)).split('\n')
      rest = lines.pop() ?? ''
      events.push(...lines.filter((line) => line !== '').map((line) => RunEvent.parse(JSON.parse(line))))
      if (enough(events)) break
    }
  } catch {}
  return events
}

export const textsOf = (events: readonly RunEvent[]) => events.flatMap((one) => (one.type === 'text' ? [one.text] : []))

export const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
