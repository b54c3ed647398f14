/** What the earlier release leaves behind: people, a token, a link, two machines, and sessions in every state. */
import path from 'node:path'
import type { PermissionAsk } from '@roundhouse/backend-types'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { HubProcess, owner } from '../support/processes/hub-process'
import { scriptOf } from '../support/rigs/rig'
import type { OldClient } from './old-client'

export const operator = { name: 'Omar', email: 'omar@example.com', password: 'battery staple horse' }
export const guest = { name: 'Gia', email: 'gia@example.com', password: 'staple horse battery' }

/** Programs at rest end soon, so that there are some when the upgrade comes. */
export const IDLE = ['--idle-ms', '3000']

export interface Machine {
  process: AgentProcess
  agentId: string
  workDir: string
}

export interface Past {
  hub: HubProcess
  /** Its agent is upgraded later. */
  bench: Machine
  /** Its agent stays what it is. */
  elder: Machine
  /** Its agent was upgraded before the hub. */
  early: Machine
  token: string
  invitationCode: string
  /** What a browser sends that was signed in before. */
  oldHeaders: Record<string, string>
  sessions: {
    /** At rest, with a standing grant for `grantedStep`. */
    granted: string
    /** Counts, and goes on counting; a prompt waits in its queue. */
    running: string
    /** Each waits for an answer. */
    firstAsk: string
    secondAsk: string
    elderAsk: string
    earlyAsk: string
    /** Its turn is over; a helper in the background waits for an answer. */
    helperAsk: string
    /** A question with options waits. */
    formAsk: string
    /** The middle of an output is on the machine alone. */
    cut: string
  }
  asks: {
    first: PermissionAsk
    second: PermissionAsk
    elder: PermissionAsk
    early: PermissionAsk
    helper: PermissionAsk
    form: PermissionAsk
  }
}

export const grantedStep = { tool: 'Bash', input: { command: 'mkdir -p granted', description: 'Make a folder' } }
export const writes = (file: string) => [{ tool: 'Write', input: { file_path: file, content: 'x' } }, { text: 'Done.' }]
/** More than a log keeps. */
export const longOutput = Array.from({ length: 20_000 }, (_, line) => `line ${line} of a long output`).join('\n')
const helper = {
  tool: 'Agent',
  input: { description: 'Help', run_in_background: true, prompt: scriptOf(writes('helper.txt')) },
}
const choice = {
  question: 'Which one?',
  header: 'Choice',
  multiSelect: false,
  options: [
    { label: 'This', description: 'The first' },
    { label: 'That', description: 'The second' },
  ],
}

/** `checkout`: of its agent; absent: this one. */
async function join(client: OldClient, hub: HubProcess, name: string, checkout?: string): Promise<Machine> {
  const main = checkout === undefined ? undefined : path.join(checkout, 'apps/agent/dist/main.js')
  const [process, workDir] = [new AgentProcess(freshFolder(`compat-${name}`), {}, main), freshFolder('compat-work')]
  process.writePolicy({
    roots: [workDir],
    backends: { scripted: {} },
    denyTools: ['Forbidden'],
    limits: { runningSessions: 8 },
  })
  const made = await client.rest('makeEnrollmentToken', { name })
  await process.join(hub, name, { token: made.token, fingerprint: made.hubKeyFingerprint, url: hub.url })
  await process.start(IDLE)
  const agent = (await client.rest('agents')).items.find((one) => one.name === name)
  if (!agent) throw new Error(`${name} did not join`)
  return { process, workDir, agentId: agent.agentId }
}

/**
 * Starts the earlier hub, two agents of its release, and one of this checkout. What was started is in `started`, whatever fails
 * afterwards.
 */
export async function fillPast(checkout: string, client: OldClient, started: Partial<Past>): Promise<Past> {
  const hub = new HubProcess(freshFolder('compat-hub'), {}, checkout)
  started.hub = hub
  await hub.start()
  await client.connect(hub.url)
  await client.rest('setup', { code: hub.setupCode, ...owner })
  await client.signIn(hub.url, owner.email, owner.password)
  const bench = await join(client, hub, 'bench', checkout)
  started.bench = bench
  const elder = await join(client, hub, 'elder', checkout)
  started.elder = elder
  const early = await join(client, hub, 'early')
  started.early = early
  const people = await fillPeople(client, bench)
  const work = await fillSessions(client, bench, elder, early)
  return Object.assign(started, { hub, bench, elder, early, ...people, ...work, oldHeaders: await client.headers() })
}

async function fillPeople(client: OldClient, { agentId }: Machine) {
  const { email, name, password } = operator
  const codeOf = ({ link }: { link: string }) => link.split('#')[1] ?? ''
  const joins = await client.rest('invite', { email, role: 'operator', agents: [agentId] })
  await client.rest('acceptInvitation', { code: codeOf(joins), name, password })
  const open = await client.rest('invite', { email: guest.email, role: 'viewer', agents: [agentId] })
  const { token } = await client.rest('makeToken', {
    password: owner.password,
    name: 'a program',
    scopes: ['read', 'operate'],
    ttlDays: 2,
  })
  return { token, invitationCode: codeOf(open) }
}

async function fillSessions(client: OldClient, bench: Machine, elder: Machine, early: Machine) {
  const begin = async ({ agentId, workDir }: Machine, steps: readonly object[]) => {
    const settings = { backend: 'scripted', workDir }
    return (await client.rest('createSession', { agentId, settings, prompt: scriptOf(steps) })).sessionId
  }
  const openAsk = (sessionId: string) =>
    until('a question', async () => {
      const { requests } = (await client.rest('snapshot', sessionId, 1)).session
      return requests.find(({ decision, outcome }) => !decision && outcome === 'open')?.ask
    })
  const answer = async (sessionId: string) => {
    const { requestId, digest } = await openAsk(sessionId)
    await client.rest('decide', requestId, { decision: 'allow', digest })
    await until(
      'its turn to end',
      async () => (await client.rest('snapshot', sessionId, 1)).session.turnId === undefined,
    )
  }
  await answer(await begin(early, writes('early-before.txt')))
  const sessions = {
    granted: await begin(bench, [{ count: { to: 40, delayMs: 1 } }, grantedStep, { text: 'Made.' }]),
    running: await begin(bench, [{ count: { to: 100_000, delayMs: 30, prefix: 'tick' } }]),
    firstAsk: await begin(bench, writes('first.txt')),
    secondAsk: await begin(bench, writes('second.txt')),
    elderAsk: await begin(elder, writes('elder.txt')),
    earlyAsk: await begin(early, writes('early.txt')),
    helperAsk: await begin(bench, [helper, { text: 'It helps.' }]),
    formAsk: await begin(bench, [{ tool: 'AskUserQuestion', input: { questions: [choice] } }, { text: 'Thanks.' }]),
    cut: await begin(bench, [
      { tool: 'Bash', input: { command: 'make report' }, output: longOutput, ask: false },
      { text: 'Reported.' },
    ]),
  }
  const { requestId, digest } = await openAsk(sessions.granted)
  await client.rest('decide', requestId, { decision: 'allow_session', digest })
  const asks = {
    first: await openAsk(sessions.firstAsk),
    second: await openAsk(sessions.secondAsk),
    elder: await openAsk(sessions.elderAsk),
    early: await openAsk(sessions.earlyAsk),
    helper: await openAsk(sessions.helperAsk),
    form: await openAsk(sessions.formAsk),
  }
  await client.rest('prompt', sessions.running, { promptId: 'p_queued', text: scriptOf([{ text: 'The queued one.' }]) })
  await until('a queue', async () => (await client.rest('snapshot', sessions.running, 1)).session.queue.length === 1)
  await until('the grant', async () => (await client.rest('snapshot', sessions.granted, 1)).session.grants.length === 1)
  await until('a session at rest', () => !bench.process.hasHost(sessions.granted))
  return { sessions, asks }
}
