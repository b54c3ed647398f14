import { type PermissionDecision, type PermissionRequest, parseEventBody } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
import { brokerIn } from '../../testing/broker'
import { Journal } from '../journal/journal'
import type { Grants } from './grants'
import type { PermissionBroker } from './permission-broker'

let dir: TempDir
let log: SessionLog
let broker: PermissionBroker
let journal: Journal
let told: PermissionDecision[]

beforeEach(() => {
  dir = tempDir('unreadable')
  told = []
  log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => 1 })
  journal = new Journal(log, () => 1)
  broker = brokerIn({ folder: dir.path, journal, now: () => 1, respond: async (decision) => void told.push(decision) })
})
afterEach(() => {
  broker.dispose()
  log.close()
  dir.remove()
})

async function ask(request: Partial<PermissionRequest>) {
  broker.ask('p1', { callId: 'k1', toolName: 'Write', input: { file_path: 'a' }, ...request })
  await journal.write({})
  return log.rows.eventsAfter(0, 100).map(({ body }) => parseEventBody(body))
}

describe('a permission request', () => {
  it('[PERM-6.7] [LOG-3] that no event can hold is refused to its program and told, and nothing of it is open', async () => {
    let deep: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(await ask({ input: deep })).toEqual([
      {
        kind: 'system',
        procId: 'p1',
        turnId: 't1',
        subtype: 'warning',
        data: { code: 'MALFORMED_FRAME', callId: 'k1', message: expect.stringContaining('was refused') },
      },
    ])
    expect(told).toEqual([{ callId: 'k1', decision: 'deny', reason: expect.stringContaining('refused') }])
    expect(broker.requests()).toEqual([])
  })

  it('[PERM-6] whose event is in the log stays open for a person, whatever of our own fails behind that', async () => {
    const covering = () => {
      throw new Error('a fault of ours')
    }
    broker.dispose()
    broker = brokerIn({
      folder: dir.path,
      journal,
      now: () => 1,
      respond: async (decision) => void told.push(decision),
      grants: { covering } as unknown as Grants,
    })
    expect(await ask({})).toMatchObject([{ kind: 'permission_requested' }])
    expect(broker.requests()).toHaveLength(1)
    expect(told).toEqual([])
  })

  it('[PERM-7] whose words are too long is asked, and each place says what is missing', async () => {
    const long = (chars: number) => 'w'.repeat(chars)
    const [asked] = await ask({ toolName: long(2_000), meta: { reason: long(300_000), cwd: dir.path } })
    const [open] = broker.requests()
    expect(asked).toEqual({ kind: 'permission_requested', procId: 'p1', turnId: 't1', ask: open })
    expect(open?.toolName).toBe(`${long(1_000)}… [2,000 characters, cut here]`)
    expect(open?.reason).toBe(`${long(8_000)}… [300,000 characters, cut here]`)
  })

  it('[PERM-7.2] that is a question too large to be shown can only be refused, and says so', async () => {
    const label = '\u0001'.repeat(3_000)
    const names = Array.from({ length: 60 }, (_, n) => `${label.slice(0, 1_900)}${n}`)
    const fields = names.map((name) => ({ kind: 'boolean' as const, name, label, required: true }))
    const meta = { answerFields: { field: 'answers' as const, names }, form: { fields } }
    const [asked] = await ask({ toolName: 'AskUserQuestion', input: {}, meta })
    const [open] = broker.requests()
    expect(asked).toMatchObject({ kind: 'permission_requested', ask: open })
    expect(open?.form).toMatchObject({ fields: [], problem: { code: 'FORM_UNREADABLE' } })
    expect(open).not.toHaveProperty('answerFields')
    expect(open?.notes).toEqual([expect.stringContaining('too large')])
  })
})
