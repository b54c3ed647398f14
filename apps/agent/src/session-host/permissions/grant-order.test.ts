import type { PermissionRequest } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { sessionFiles } from '../../host-contract/paths'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
import { brokerIn } from '../../testing/broker'
import { Journal } from '../journal/journal'
import { Grants } from './grants'

let dir: TempDir
let log: SessionLog
beforeEach(() => {
  dir = tempDir('desk')
  log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => 1_000 })
})
afterEach(() => {
  log.close()
  dir.remove()
})

/** What another process finds in the file at this moment. */
function onDisk(): { outcomes: string[]; kinds: string[] } {
  const db = new Database(sessionFiles(dir.path).log, { readonly: true })
  const outcomes = db.prepare<[], string>('SELECT outcome FROM requests ORDER BY requestId').pluck()
  const kinds = db.prepare<[], string>('SELECT kind FROM events ORDER BY seq').pluck()
  const found = { outcomes: outcomes.all(), kinds: kinds.all() }
  db.close()
  return found
}

it('[PERM-2.25] [PERM-2.26] [PERM-5.4] by grant too: applying is on the disk, then the program is answered, then the outcome', async () => {
  const journal = new Journal(log, () => 1_000)
  const found: Array<ReturnType<typeof onDisk>> = []
  let answered: () => void = () => {}
  const program = () => new Promise<void>((resolve) => (answered = resolve))
  const broker = brokerIn({
    folder: dir.path,
    journal,
    now: () => 1_000,
    respond: async () => {
      found.push(onDisk())
      answered()
    },
  })
  const request = (callId: string): PermissionRequest => ({ callId, toolName: 'Write', input: { file_path: 'a' } })

  broker.ask('p1', request('k1'))
  const [ask] = broker.requests()
  if (!ask) throw new Error('it was asked')
  const { requestId, procId, digest } = ask
  const decision = { kind: 'permission.decide', requestId, procId, digest, decision: 'allow_session' } as const
  await journal.write({})
  await broker.decide(decision, 'c1', { userId: 'u', name: 'Ana' })

  const heard = program()
  broker.ask('p1', request('k2'))
  await heard
  await journal.write({})
  found.push(onDisk())
  const first = ['permission_requested', 'permission_resolved']
  expect(found).toEqual([
    { outcomes: ['applying'], kinds: ['permission_requested'] },
    { outcomes: ['applied', 'applying'], kinds: [...first, 'permission_requested'] },
    { outcomes: ['applied', 'applied'], kinds: [...first, ...first] },
  ])
})

describe('[PERM-5.37] [PERM-5.39] a grant that ends before the request that it covers is on the disk', () => {
  const ana = { userId: 'u', name: 'Ana' }
  const noMode = { maxSandbox: 'workspace-write', allowBypassPermissions: false } as const

  it.each(['revoked', 'denied by the policy'])('answers nothing where it was %s: a person is asked', async (how) => {
    const journal = new Journal(log, () => 1_000)
    const grants = new Grants(journal, () => 1_000)
    const answered: string[] = []
    let denyTools: string[] = []
    const broker = brokerIn({
      folder: dir.path,
      journal,
      grants,
      now: () => 1_000,
      policy: () => ({ roots: [dir.path], denyTools, ...noMode }),
      respond: async ({ callId }) => void answered.push(callId),
    })
    const request = (callId: string): PermissionRequest => ({ callId, toolName: 'Write', input: { file_path: 'a' } })
    broker.ask('p1', request('k1'))
    const [ask] = broker.requests()
    if (!ask) throw new Error('it was asked')
    const { requestId, procId, digest } = ask
    await journal.write({})
    const decision = { kind: 'permission.decide', requestId, procId, digest, decision: 'allow_session' } as const
    await broker.decide(decision, 'c1', ana)

    broker.ask('p1', request('k2'))
    const granted = log.rows.grants().map(({ grantId }) => grantId)
    if (how === 'revoked') grants.revoke(granted[0] ?? '', ana, 'c2')
    else denyTools = ['Write']
    await journal.write({})
    await journal.write({})
    expect(answered).toEqual(['k1'])
    expect(broker.requests().map(({ callId }) => callId)).toEqual(['k2'])
  })
})
