/**
 * Programs of the Agent Client Protocol that do not keep to it, as a machine's policy names them: every turn and every start ends
 * in a state with a code, no request stays open, and the host lives.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { acpProgram } from '../support/processes/acp-program'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

/** How long an adapter waits for an answer that a start needs. */
const START_LIMIT_MS = 60_000

let rig: Rig
/** Programs that never answer are started first, since a start waits a minute for them. */
const silent: Record<string, string> = {}
const unanswering = ['silent', 'noise']
beforeAll(async () => {
  rig = await startRig()
  const { agent } = rig.system
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const names = ['bad', 'silent', 'noise', 'exits', 'old', 'logged-out']
  const programs = names.map((name) => [name, acpProgram(name, ...(name === 'bad' ? [] : [name]))])
  agent.writePolicy({ ...policy, programs: Object.fromEntries(programs), limits: { runningSessions: 20 } })
  await until('the machine to have its programs', async () => (await backend('noise')) !== undefined)
  if (wholeMatrix) for (const name of unanswering) silent[name] = await rig.begin([], { backend: name })
}, 120_000)
afterAll(() => rig.dispose())

const sessionOf = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session
const eventsIn = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const begin = (...steps: object[]) => rig.begin(steps, { backend: 'bad' })
const shell = (command: string, more: object = {}) => ({ tool: 'shell', input: { command }, ...more })

async function backend(kind: string) {
  const [agent] = (await rig.rest.agents()).items
  return agent?.manifest?.backends.find((one) => one.kind === kind)
}

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>
const allOf = <K extends SessionEvent['kind']>(sessionId: string, kind: K): EventOf<K>[] =>
  eventsIn(sessionId).filter((event): event is EventOf<K> => event.kind === kind)

/** Resolves to why it ended, when its only turn has. */
async function ended(sessionId: string) {
  const end = await until('the turn to end', () => allOf(sessionId, 'turn_completed')[0], 60_000)
  await until('no request to be open', async () => {
    const { requests, turnId } = await sessionOf(sessionId)
    return turnId === undefined && requests.every(({ outcome }) => outcome !== 'open')
  })
  return end.reason
}

/** The same host takes the next turn. */
async function goesOn(sessionId: string, host: number | undefined) {
  await rig.prompt(sessionId, [{ text: 'Still here.' }])
  await until('the next turn', () => allOf(sessionId, 'assistant_text').some(({ text }) => text === 'Still here.'))
  expect(rig.system.agent.hostPid(sessionId)).toBe(host)
}

/** Plays these steps. Resolves to how the turn ended and what was told of it. */
async function plays(...steps: object[]) {
  const sessionId = await begin(...steps)
  const host = await until('the host', () => rig.system.agent.hostPid(sessionId))
  const reason = await ended(sessionId)
  return { sessionId, host, reason }
}

describe('[BAD-1] a program of the Agent Client Protocol', () => {
  it('that says what nobody knows, and prints what is no JSON, is heard to the end of its turn', async () => {
    const params = { sessionId: '$SESSION', update: { sessionUpdate: 'novelty' } }
    const { sessionId, host, reason } = await plays(
      { line: 'Welcome!' },
      { frame: { method: 'session/update', params } },
      { text: 'Said.' },
    )
    expect([reason, allOf(sessionId, 'assistant_text').map(({ text }) => text)]).toEqual(['completed', ['Said.']])
    await goesOn(sessionId, host)
  })

  it('with a line of 40 MB ends its turn', async () => {
    const { sessionId, host, reason } = await plays({ long: 40 * 1_048_576 })
    expect(reason).toBe('completed')
    await goesOn(sessionId, host)
  })

  it('with an option of a kind that nobody knows is refused by itself: no card is shown', async () => {
    const options = [{ optionId: 'x', kind: 'allow_twice', name: 'Twice' }]
    const { sessionId, host, reason } = await plays(shell('echo hi', { options }), { text: 'On.' })
    expect(reason).toBe('completed')
    expect(allOf(sessionId, 'permission_requested')).toEqual([])
    expect(allOf(sessionId, 'system')).toContainEqual(
      expect.objectContaining({ subtype: 'ask_refused', data: expect.objectContaining({ code: 'UNSUPPORTED' }) }),
    )
    await goesOn(sessionId, host)
  })

  it('with two replies to one prompt ends one turn', async () => {
    const { sessionId, host } = await plays({ twice: true })
    await goesOn(sessionId, host)
    expect(allOf(sessionId, 'turn_completed')).toHaveLength(2)
  })

  it('with a request that is not served goes on', async () => {
    const write = { id: 5, method: 'fs/write_text_file', params: { path: '/x', content: 'y' } }
    const { sessionId, host, reason } = await plays({ frame: write }, { text: 'On.' })
    expect(reason).toBe('completed')
    await goesOn(sessionId, host)
  })

  it('[RES-2] that crashes with a request open: the request is closed, and the session goes on', async () => {
    const { sessionId, host, reason } = await plays(shell('echo hi', { crashes: true }))
    expect(reason).toBe('process_exited')
    expect(allOf(sessionId, 'permission_requested')).toHaveLength(1)
    const { requests, status } = await sessionOf(sessionId)
    expect(requests.map(({ outcome }) => outcome)).not.toContain('open')
    expect(status).toMatchObject({ status: 'resumable', why: 'process_exited' })
    await goesOn(sessionId, host)
  })

  it.each([
    ['exits', 'BACKEND_UNAVAILABLE', 'expected a value'],
    ['old', 'BACKEND_UNAVAILABLE', 'of the protocol, and not 1'],
    ['logged-out', 'BACKEND_AUTH', 'Authentication required'],
  ])('%s: the start fails with %s', async (name, code, words) => {
    const sessionId = await rig.begin([], { backend: name })
    await failsToStart(sessionId, code, words)
  })

  it.each(unanswering)('%s: the machine names the program with the reason', async (name) => {
    const told = await until('the machine to say so', async () => {
      const found = await backend(name)
      return found?.unanswered === true && found
    })
    expect(told).toMatchObject({ installed: false, unavailableReason: expect.stringContaining('did not answer') })
  })

  // The adapter's own tests do it with a shorter limit.
  variation.each(unanswering)('%s: a start ends with BACKEND_TIMEOUT', (name) =>
    failsToStart(silent[name] ?? '', 'BACKEND_TIMEOUT', 'did not answer'),
  )
})

async function failsToStart(sessionId: string, code: string, words: string): Promise<void> {
  const status = await until(
    'the start to fail',
    async () => {
      const { status } = await sessionOf(sessionId)
      return status.status === 'resumable' && status
    },
    START_LIMIT_MS + 20_000,
  )
  expect(status).toMatchObject({ why: 'start_failed', error: { code, message: expect.stringContaining(words) } })
  expect(rig.system.agent.hostPid(sessionId)).toBeGreaterThan(0)
}
