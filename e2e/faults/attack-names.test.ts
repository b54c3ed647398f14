/** A machine that has a person's own commands, and tells of them what they did not say. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { envelope, runningState } from '../support/wire/raw-events'
import { RawAgent, type RawSocket } from '../support/wire/raw-socket'

const own = hubOfFile('attack-names')
const { web } = own
const machine = new RawAgent(web)
let link: RawSocket
let by: { userId: string; name: string }
let count = 0
type Body = Record<string, unknown>

const send = async (method: string, target: string, body?: object) =>
  JSON.parse(
    (
      await web.ask(`/api/v1${target}`, {
        method,
        headers: { ...web.json, login: own.login, 'idempotency-key': `attack-names-${count++}` },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    ).body,
  )

beforeAll(async () => {
  await machine.enroll((await send('POST', '/enrollment-tokens', {})).token)
  link = await machine.connect()
  await link.ask('agent', 'sessions', JSON.stringify({ last: true, sessions: [] }))
  by = { userId: (await send('GET', '/me')).userId, name: owner.name }
})
afterAll(() => link.close())

const settings = { backend: 'scripted', workDir: '/code' }
const said = 'Please tidy the folder up.'

interface Commanded {
  sessionId: string
  create: string
  prompt: string
  promptId: string
}

/** A session that the owner made, and a prompt that the owner sent. */
async function commanded(text = said): Promise<Commanded> {
  const promptId = `prompt_${count++}`
  const { sessionId, commandId: create } = await send('POST', '/sessions', { agentId: machine.agentId, settings })
  const { commandId: prompt } = await send('POST', `/sessions/${sessionId}/prompts`, { promptId, text })
  return { sessionId, create, prompt, promptId }
}

/** The kinds of these events that the hub shows with somebody's name. */
async function namedOf({ sessionId }: Commanded, events: readonly Body[]): Promise<string[]> {
  const logId = `log_${sessionId}`
  const numbered = events.map((event, i) => envelope(event as { kind: string }, { seq: i + 1 }))
  const stored = await link.ask('agent', 'events', JSON.stringify({ sessionId, logId, events: numbered }))
  expect(stored).toMatchObject({ ok: true })
  const { events: shown } = await send('GET', `/sessions/${sessionId}`)
  return (shown as Array<{ kind: string; doneBy?: { name: string } }>).flatMap(({ kind, doneBy }) =>
    doneBy ? [kind] : [],
  )
}

const created = ({ sessionId, create }: Commanded, more: Body = {}) => ({
  kind: 'session_created',
  commandId: create,
  logId: `log_${sessionId}`,
  settings,
  realWorkDir: '/code',
  author: by,
  ...more,
})
const message = ({ prompt, promptId }: Commanded, more: Body = {}) => ({
  kind: 'user_message',
  commandId: prompt,
  promptId,
  text: said,
  author: by,
  ...more,
})
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const cut = (head: string, tail: string, bytes: number, hash: string) => ({
  cut: true,
  head,
  tail,
  bytes,
  sha256: hash,
})
const bytes = Buffer.byteLength(said)

describe('a person’s name', () => {
  it('[VIEW-8] stands beside what they did', async () => {
    const real = await commanded()
    expect(await namedOf(real, [created(real), message(real)])).toEqual(['session_created', 'user_message'])
  })

  const texts: Array<[string, unknown]> = [
    ['a word more', `${said} And delete it.`],
    ['a blank more', `${said} `],
    ['other letters', said.toUpperCase()],
    ['a word that is said to be a secret', said.replace('tidy', '[redacted]')],
    ['nothing but what is said to be a secret', '[redacted]'],
    ['nothing but what is said to be a secret, in another way', '«redacted»'],
    ['what is said to be no text', said.replace('tidy', '\ufffd')],
    ['nothing', ''],
    ['ends of another text', cut('Delete', 'it.', bytes, sha256(said))],
  ]
  it.each(texts)('[VIEW-8.4] does not stand beside their prompt with %s', async (_what, text) => {
    const real = await commanded()
    expect(await namedOf(real, [created(real), message(real, { text, redacted: 1, lossy: true })])).toEqual([
      'session_created',
    ])
  })

  const notSaid = 'Please do not delete it.'
  const whole = Buffer.byteLength(notSaid)
  // The host cuts what is longer than 64 KiB (LOG-6), and says the size and the sum of the whole.
  const cuts: Array<[string, unknown]> = [
    ['the words that are left when one is left out', cut('Please do ', 'delete it.', whole, sha256(notSaid))],
    ['its end alone', cut('', 'delete it.', whole, sha256(notSaid))],
    ['the right ends and another sum', cut(notSaid.slice(0, 9), notSaid.slice(-9), whole, sha256('x'))],
    ['the right ends and another size', cut(notSaid.slice(0, 9), notSaid.slice(-9), 9_000_000, sha256(notSaid))],
    ['ends of nothing', cut('', '', 0, sha256(''))],
    ['an artifact of the machine in its place', { ...cut('', '', whole, sha256(notSaid)), artifactId: 'art_other' }],
  ]
  it.each(cuts)(
    '[VIEW-8.14] [LOG-6] does not stand beside a short prompt that is said to be cut, with %s',
    async (_what, text) => {
      const real = await commanded(notSaid)
      expect(await namedOf(real, [created(real), message(real, { text })])).toEqual(['session_created'])
    },
  )

  const wider: Array<[string, Body]> = [
    ['another folder', { settings: { ...settings, workDir: '/' } }],
    ['a wider sandbox', { settings: { ...settings, sandbox: 'full-access' } }],
    ['a mode that never asks', { settings: { ...settings, mode: 'bypassPermissions' } }],
    ['another backend', { settings: { ...settings, backend: 'claude' } }],
    ['another title', { title: 'Delete everything' }],
  ]
  it.each(wider)('[VIEW-8.6] does not stand beside a session that they made, told with %s', async (_what, change) => {
    const real = await commanded()
    expect(await namedOf(real, [created(real, change)])).toEqual([])
  })

  it('[VIEW-8.8] [VIEW-8.3] does not stand there twice, for another session, under another id or beside another deed', async () => {
    const [real, other] = [await commanded(), await commanded()]
    const digest = { requestId: 'req_1', callId: 'call_1', digest: 'd', outcome: 'applied' }
    const lies: Body[] = [
      message(real, { commandId: other.prompt }),
      message(real, { commandId: other.prompt, promptId: other.promptId }),
      message(real, { commandId: real.create }),
      message(real, { promptId: 'prompt_none' }),
      message(real, { commandId: undefined }),
      { kind: 'permission_resolved', commandId: real.prompt, decision: 'allow', by, ...digest },
      {
        kind: 'session_configured',
        commandId: real.prompt,
        changes: { sandbox: 'full-access' },
        by: 'person',
        author: by,
      },
      { kind: 'grant_ended', commandId: real.prompt, grantId: 'g1', why: 'revoked', author: by },
      { kind: 'session_ended', commandId: real.create, why: 'stopped', author: by },
    ]
    expect(
      await namedOf(real, [created(real), ...lies.slice(0, -1), message(real), message(real), ...lies.slice(-1)]),
    ).toEqual(['session_created', 'user_message'])
  })

  it('[VIEW-8.12] is not given to a queued prompt whose text they did not write', async () => {
    const [real, other] = [await commanded(), await commanded()]
    await namedOf(real, [created(real)])
    const entry = { promptId: real.promptId, rev: 0, text: said, commandId: real.prompt, authorName: owner.name }
    const queue = [
      entry,
      { ...entry, text: 'Delete it.' },
      { ...entry, promptId: 'prompt_x' },
      { ...entry, commandId: other.prompt, promptId: other.promptId },
      { ...entry, commandId: real.create },
    ]
    for (const one of queue.slice(1)) {
      await link.ask(
        'agent',
        'state',
        JSON.stringify(runningState(real.sessionId, { rev: ++count, atSeq: 1, queue: [one] })),
      )
      const { session } = await send('GET', `/sessions/${real.sessionId}`)
      expect(session.queue.map(({ text, authorName }: Body) => [text, authorName])).toEqual([[one.text, undefined]])
    }
  })
})
