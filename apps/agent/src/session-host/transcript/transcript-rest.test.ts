import type { BackendOutput, SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
import { Journal } from '../journal/journal'
import { conversationKey } from '../settings/identity-plan'
import { settingsKey } from '../settings/settings'
import type { ReadTranscript } from './transcript'
import { inTime } from './transcript'
import { TranscriptRest } from './transcript-rest'

let dir: TempDir
let log: SessionLog
let journal: Journal
const redact = createRedactor([])
beforeEach(() => {
  dir = tempDir('rest')
  log = SessionLog.open(dir.path, { redact, now: () => 1_000 })
  journal = new Journal(log, () => 1_000)
})
afterEach(() => {
  log.close()
  dir.remove()
})

const says = (text: string): BackendOutput => ({ kind: 'assistant_text', text })
const said = (text: string): BackendOutput => ({ kind: 'system', subtype: 'user_message', data: { text } })
const started = (backendSessionId: string, resumed: boolean): SessionEvent => ({
  kind: 'session_started',
  backendSessionId,
  resumed,
})
const turn = (turnId: string, text: string): SessionEvent[] => [
  { kind: 'turn_started', turnId, trigger: 'prompt', promptId: `p${turnId}` },
  { kind: 'user_message', turnId, promptId: `p${turnId}`, text },
]

function logged(events: SessionEvent[], backendSessionId = 'b'): Promise<number> {
  const settings = { settings: { backend: 'scripted', workDir: '/w' }, realWorkDir: '/w' }
  return journal.record(events, {
    meta: {
      [settingsKey]: JSON.stringify(settings),
      [conversationKey]: JSON.stringify({ state: 'durable', backendSessionId }),
    },
  })
}

const rest = (read: ReadTranscript) => new TranscriptRest(read, redact).read(journal)

describe('[RES-6] the rest of a conversation', () => {
  it('is what the transcript of this conversation has beyond the log', async () => {
    await logged([...turn('1', 'go'), started('b', false), { kind: 'assistant_text', text: 'One.' }])
    const asked: string[] = []
    const read = await rest(async (_settings, id) => {
      asked.push(id)
      return [said('go'), says('One.'), says('Two.')]
    })
    expect(read).toEqual({ outputs: [says('Two.')], notes: [] })
    expect(asked).toEqual(['b'])
  })

  it('is compared with this conversation only, when the session began afresh', async () => {
    const first: SessionEvent[] = [...turn('1', 'go'), started('a', false), { kind: 'assistant_text', text: 'One.' }]
    const done: SessionEvent = { kind: 'turn_completed', turnId: '1', reason: 'completed' }
    await logged([...first, done, ...turn('2', 'go'), started('b', false)])
    expect(await rest(async () => [said('go'), says('One.')])).toEqual({ outputs: [says('One.')], notes: [] })
  })

  it('[LOG-4] is compared with what was said since a running program began it, without the prompt that made it so', async () => {
    const inProcess = { procId: 'p' }
    await logged([
      ...turn('1', 'go'),
      { ...started('a', false), ...inProcess },
      { kind: 'assistant_text', text: 'One.' },
      { kind: 'turn_completed', turnId: '1', reason: 'completed' },
      ...turn('2', '/clear'),
      { ...started('b', false), ...inProcess },
      { kind: 'turn_completed', turnId: '2', reason: 'completed' },
      ...turn('3', 'go'),
      { kind: 'assistant_text', text: 'One.' },
      { kind: 'turn_completed', turnId: '3', reason: 'completed' },
      ...turn('4', 'go'),
    ])
    const transcript = [said('go'), says('One.'), said('go'), says('One.')]
    expect(await rest(async () => transcript)).toEqual({ outputs: [says('One.')], notes: [] })
  })

  it('is nothing where no conversation began or nobody keeps it', async () => {
    const never = () => Promise.reject(new Error('is not asked'))
    expect(await rest(never)).toEqual({ outputs: [], notes: [] })
    await logged([...turn('1', 'go')])
    expect(await rest(async () => null)).toEqual({ outputs: [], notes: [] })
  })

  it('is nothing, with a note, where the transcript cannot be read or tells something else', async () => {
    await logged([...turn('1', 'go'), { kind: 'assistant_text', text: 'One.' }])
    const note = (why: string) => [
      {
        kind: 'system',
        turnId: '1',
        subtype: 'transcript_untold',
        data: { message: expect.stringContaining(why) },
      },
    ]
    expect(await rest(() => Promise.reject(new Error('torn')))).toEqual({
      outputs: [],
      notes: note('could not be read'),
    })
    expect(await rest(async () => [said('go'), says('Other.')])).toEqual({
      outputs: [],
      notes: note('tells another story'),
    })
  })

  it('leaves out what no log could take, and nothing else', async () => {
    await logged([...turn('1', 'go')])
    const nameless: BackendOutput = { kind: 'tool_use', toolName: 'Bash', input: {}, callId: '' }
    expect((await rest(async () => [said('go'), says('One.'), nameless, says('Two.')])).outputs).toEqual([
      says('One.'),
      says('Two.'),
    ])
  })

  it('is not read a fourth time when every host that read it died', async () => {
    await logged([...turn('1', 'go')])
    let reads = 0
    const dies: ReadTranscript = () => {
      reads += 1
      return Promise.resolve([])
    }
    for (const _ of [1, 2, 3, 4]) await rest(dies)
    expect(reads).toBe(3)
    await journal.write({ meta: new TranscriptRest(dies, redact).over })
    await rest(dies)
    expect(reads).toBe(4)
  })
})

it('[RES-6] a backend that never answers is not waited for', async () => {
  await expect(inTime(new Promise(() => {}), 1)).rejects.toMatchObject({ code: 'BACKEND_TIMEOUT' })
  expect(await inTime(Promise.resolve(1), 1_000)).toBe(1)
})
