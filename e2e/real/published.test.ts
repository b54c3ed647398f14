/** What programs of a session publish by the command line, when the host dies under them, and when they reach for another session. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { withAgentCommand } from '../support/processes/agent-command'
import { missingReason } from '../support/processes/backends'
import { owner } from '../support/processes/hub-process'
import { type Rig, startRig } from '../support/rigs/rig'
import { Subject } from '../support/rigs/subject'
import { variations, variationsUnless } from '../support/rigs/variation'

let rig: Rig
afterEach(() => rig.dispose())

const publishes = (message: string) => `roundhouse-agent publish event '{"kind":"LOG","message":"${message}"}'`
const shell = { claude: 'Bash', gemini: 'run_shell_command' } as const
const runsIn = (kind: keyof typeof shell, command: string) => ({
  tool: shell[kind],
  input: { command, description: 'scripted command' },
})
const missing = await missingReason('claude')
const missingGemini = await missingReason('gemini')
const messages = (session: Subject) => session.of('published').map(({ data }) => data.message)
const results = (session: Subject) => session.of('tool_result').map(({ output }) => String(output))
const over = (session: Subject, count = 1) =>
  until(`${count} turns to be over`, () => session.of('turn_completed').length >= count)

/** A session whose program runs this command, which a person allows. */
async function runs(kind: keyof typeof shell, command: string): Promise<Subject> {
  const session = new Subject(rig, await rig.begin([runsIn(kind, command), { text: 'Done.' }]))
  await session.allow()
  return session
}

variations.each([
  ['claude', missing],
  ['gemini', missingGemini],
] as const)('[%s] a command that publishes', (kind, absent) => {
  it.skipIf(absent !== null)(
    '[TOOL-2.5] [TOOL-3.1] is asked about as any other; what it says is an event, and it prints the answer',
    async () => {
      rig = await startRig({ kind, agentEnv: withAgentCommand() })
      const session = await runs(
        kind,
        `${publishes('By hand.')}; echo '{"phase":"SPAWN"}' | roundhouse-agent publish phase; roundhouse-agent publish complete '{"summary":"Done."}'; roundhouse-agent publish event '{}' 2>&1; printenv ROUNDHOUSE_TOOLS`,
      )
      await over(session)
      expect(session.of('published')).toMatchObject([
        { topic: `worker.${session.sessionId}.event`, data: { message: 'By hand.' } },
        { topic: `worker.${session.sessionId}.phase`, data: { phase: 'SPAWN', prev: 'PLAN' } },
        {
          topic: `worker.${session.sessionId}.complete`,
          data: { summary: 'Done.', phases_completed: ['PLAN', 'SPAWN'] },
        },
      ])
      expect(session.of('permission_requested')).toHaveLength(1)
      const [printed = ''] = results(session)
      expect(printed).toContain(`"id":"${session.of('published')[0]?.id}"`)
      expect(printed).toContain('[INVALID_ARGUMENT]')
      // TOOL-1.3: its key is redacted wherever it is printed.
      expect(printed).toContain('[redacted:credential]@/')
      await rig.agree(session.sessionId)
    },
  )
})

describe.skipIf(missingGemini !== null)('[gemini] a session without tools of its own', () => {
  it('[TOOL-2.5] [TOOL-3.1] [TOOL-4.1] the machine says that the program takes no MCP server; by the command line it publishes, asks, hears the answer and completes, and each wrong input has a code', async () => {
    rig = await startRig({ kind: 'gemini', agentEnv: withAgentCommand() })
    const known = async () =>
      (await rig.rest.agents()).items[0]?.manifest?.backends.find(
        ({ kind, installed }) => kind === 'gemini' && installed,
      )
    expect((await until('what the machine says of it', known)).capabilities?.acceptsMcpServerSpec).toBe(false)
    const { password } = owner
    const { token } = await rig.rest.makeToken({ name: 'b', scopes: ['orchestrator'], ttlDays: 1, password })
    const headers = () => ({ authorization: `Bearer ${token}` })
    const boss = new HubRest(new Transport({ baseUrl: rig.system.hub.url, headers }))

    const publish = 'roundhouse-agent publish'
    const session = await runs(
      'gemini',
      `${publishes('By hand.')}; echo '{"phase":"SPAWN"}' | ${publish} phase; ${publish} ask '{"message":"May I?","request_id":"r1"}'; ${publish} complete '{"summary":"Done."}'; printenv ROUNDHOUSE_TOOLS`,
    )
    const { sessionId } = session
    const topic = `worker.${sessionId}.*`
    const heard = async () => (await boss.call('listMessages', { query: { after: 0, pattern: topic } })).items
    await until('the question', async () => (await heard()).some(({ data }) => data.request_id === 'r1'))
    const id = { peerId: sessionId, requestId: 'r1' }
    await boss.call('answerAsk', { id, body: { decision: 'approve', text: 'Go.' }, key: 'the-answer-to-r1' })
    await over(session)
    expect(session.of('permission_requested')).toHaveLength(1)
    const [first = ''] = results(session)
    expect(first).toContain('"command":"approve","r":"r1"')
    expect(first).toContain(`"id":"${session.of('published')[0]?.id}"`)
    // TOOL-1.3: its key is redacted wherever it is printed.
    expect(first).toContain('[redacted:credential]@/')
    expect(session.of('published').at(-1)?.data).toMatchObject({
      summary: 'Done.',
      phases_completed: ['PLAN', 'SPAWN'],
    })
    await until('the last word', async () => (await heard()).some(({ schema }) => schema === 'worker-complete-v1'))

    const words = ['event', 'phase', 'complete', 'ask', 'commands', 'spawn', 'send', 'wait', 'read']
    const each = words.map(
      (word) => `${publish} ${word} '{"topic":"system.peer.left","from_peer":"hidden-words"}' 2>&1`,
    )
    const shapes = ['7', '[]', '{'].map((input) => `${publish} event '${input}' 2>&1`)
    const long = `head -c 1000000 /dev/zero | tr '\\0' x | ${publish} event 2>&1`
    const wrong = [...each, ...shapes, long]
    await rig.prompt(sessionId, [runsIn('gemini', wrong.join('; ')), { text: 'Done.' }])
    await session.allow()
    await until('the second turn to be over', () => session.of('turn_completed').length >= 2, 120_000)
    const printed = results(session)[1] ?? ''
    expect(printed.match(/\[INVALID_ARGUMENT\]/g)).toHaveLength(wrong.length)
    expect(printed).not.toContain('hidden-words')
    expect(session.of('published').map(({ topic }) => topic.split('.')[2])).toEqual([
      ...['event', 'phase', 'event', 'complete'],
    ])
    await rig.agree(sessionId)
  })
})

variationsUnless(missing !== null)('a session of Claude Code', () => {
  it('[TOOL-3.2] whose host dies with the event on disk and no answer given has it in the log once', async () => {
    const mark = path.join(freshFolder('mark'), 'fired')
    rig = await startRig({
      kind: 'claude',
      agentFailpoints: { 'agent.published.beforeAnswer': { do: 'kill', mark } },
      envAllow: ['ROUNDHOUSE_FAILPOINTS'],
    })
    const log = (message: string) => ({ tool: 'mcp__roundhouse__publish_event', input: { kind: 'LOG', message } })
    const session = new Subject(rig, await rig.begin([log('Before the end.'), { text: 'Done.' }]))
    await until('the host to die', () => existsSync(mark))
    await over(session)
    expect(messages(session)).toEqual(['Before the end.'])
    await rig.prompt(session.sessionId, [log('After it.'), { text: 'Done.' }])
    await over(session, 2)
    expect(messages(session)).toEqual(['Before the end.', 'After it.'])
    await rig.agree(session.sessionId)
  })

  it('[TOOL-1.2] whose program reaches for another session is not heard there, and may not name the place', async () => {
    rig = await startRig({ kind: 'claude', agentEnv: withAgentCommand() })
    const other = new Subject(rig, await rig.begin([{ text: 'It begins, and', chunk: 4, hang: true }]))
    await until('the other session to run', () => other.of('session_started').length > 0)
    const each = `for s in "$(dirname "\${ROUNDHOUSE_TOOLS#*@}")"/*.tool; do ROUNDHOUSE_TOOLS="\${ROUNDHOUSE_TOOLS%%@*}@$s" ${publishes('Whose?')}; done 2>&1; true`
    const session = await runs('claude', each)
    await over(session)
    expect(results(session)[0]?.match(/\[AUTH_FAILED\]/g)).toHaveLength(1)
    expect([messages(session), messages(other)]).toEqual([['Whose?'], []])

    const folder = path.dirname(session.toolSocket)
    // The program itself was told to keep away, or the host refuses: either way it fails, and lists nothing.
    await rig.prompt(session.sessionId, [runsIn('claude', `ls ${folder}`), { text: 'Done.' }])
    await over(session, 2)
    expect(session.of('tool_result').at(-1)).toMatchObject({ isError: true })
    expect(results(session).at(-1)).not.toContain(path.basename(other.toolSocket))
  })
})
