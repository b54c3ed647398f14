/**
 * A machine whose disk is full, or fails, says so and stays: it refuses new work with a code, answers that cannot be
 * written are not taken, and it goes on by itself when the disk takes writes again. Nothing that was printed is missing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { AgentView } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf, progressOf } from '../support/accounts/ledger'
import { openViewer } from '../support/accounts/viewer'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Failure, failingDisk, smallDisk } from '../support/damage/failing-disk'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig & { scriptState: string }
const ends: Array<() => void> = []
afterEach(async () => {
  await rig?.dispose()
  for (const end of ends.splice(0)) end()
})

interface Disk {
  refuses(): void
  recovers(): void
  /** What the machine's page says meanwhile, and the code of what is refused. */
  says: 'full' | 'failing'
  code: 'DISK_FULL' | 'DISK_FAILING'
}

const SCRIPT_STATE = 'ROUNDHOUSE_SCRIPT_STATE'

/** The program's own record lies elsewhere: it must be able to go on. */
async function start(agentHome: string, env: Record<string, string> = {}): Promise<void> {
  const scriptState = path.join(freshFolder('script-state'), 'kept')
  const agentEnv = { [SCRIPT_STATE]: scriptState, ...env }
  rig = Object.assign(await startRig({ agentHome, agentEnv, envAllow: Object.keys(agentEnv) }), { scriptState })
}

async function onSmallDisk(): Promise<Disk> {
  const disk = smallDisk(24)
  if (typeof disk === 'string') throw new Error(disk)
  ends.push(() => disk.close())
  const agentHome = path.join(disk.folder, 'agent')
  mkdirSync(agentHome, { mode: 0o700 })
  await start(agentHome)
  return { refuses: () => disk.fill(), recovers: () => disk.free(), says: 'full', code: 'DISK_FULL' }
}

async function onFailingDisk(): Promise<Disk> {
  const agentHome = freshFolder('agent')
  const disk = failingDisk(agentHome)
  if (typeof disk === 'string') throw new Error(disk)
  ends.push(() => disk.close())
  await start(agentHome, disk.env)
  return { refuses: () => disk.fails(), recovers: () => disk.heals(), says: 'failing', code: 'DISK_FAILING' }
}

const why = { tmpfs: reasonAgainst(() => smallDisk(1)), eio: reasonAgainst(() => failingDisk(freshFolder('probe'))) }

function reasonAgainst(make: () => { close(): void } | string): string | null {
  const made = make()
  if (typeof made === 'string') return made
  made.close()
  return null
}

const disks = [
  { name: 'a full disk (a small file system)', make: onSmallDisk, missing: why.tmpfs, first: true },
  { name: 'a disk with I/O errors', make: onFailingDisk, missing: why.eio, first: false },
]

/** An ordinary run plays the first test on the second disk and the others on the first: what a disk refuses is told alike. */
const allOnBoth = process.env.ROUNDHOUSE_DISKS === 'all'
/** `npm run matrix` plays the usual ones on both. */
const onBoth = allOnBoth || wholeMatrix

const machine = async (): Promise<AgentView> => {
  const [agent] = (await rig.rest.agents()).items
  if (!agent) throw new Error('no machine')
  return agent
}
const says = (disk: Disk['says'] | undefined) =>
  until(`the machine to say: disk ${disk ?? 'in order'}`, async () => {
    const { online, disk: said } = await machine()
    return online && said === disk
  }).catch((error: Error) => {
    throw new Error(`${error.message}\n${rig.system.agent.output}`, { cause: error.cause })
  })
const statusOf = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session.status
const kindsOf = (sessionId: string) =>
  eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).map(({ kind }) => kind)
const head = (sessionId: string) => progressOf(rig.system.agent.sessionFolder(sessionId)).head
const commandOf = async (sessionId: string, commandId: string) =>
  (await rig.rest.snapshot(sessionId, 1)).session.commands.find((command) => command.commandId === commandId)
const refusal = (sessionId: string, commandId: string) =>
  until('the command to be refused', async () => {
    const command = await commandOf(sessionId, commandId)
    return command?.state === 'refused' && command.error?.code
  })
const makeSession = async () =>
  rig.rest.createSession({
    agentId: (await machine()).agentId,
    settings: { backend: 'scripted', workDir: rig.system.workDir },
    prompt: 'Please. SCRIPT: [{"text":"Later."}]',
  })

describe.each(disks)('$name', ({ make, missing, first }) => {
  it.skipIf(missing !== null || (first && !onBoth))(
    '[F16] [FLOW-2] [FLOW-4.2] [FLOW-4.3] while a turn streams: the machine says it, stays, refuses new work, and goes on without a loss',
    async () => {
      const disk = await make()
      const other = await rig.begin([{ text: 'At rest.' }])
      await rig.agree(other)
      const sessionId = await rig.begin([{ count: { to: 500, delayMs: 10 } }, { text: 'The end.' }])
      await until('some events at the hub', () => rig.stored(sessionId) > 20)
      const { pid } = rig.system.agent
      disk.refuses()
      await until('the session to be paused', async () => (await statusOf(sessionId)).status === 'paused')
      expect(await statusOf(sessionId)).toEqual({ status: 'paused', why: 'disk' })
      await says(disk.says)
      const prompt = await rig.prompt(other, [{ text: 'Not now.' }])
      expect(await refusal(other, prompt.commandId)).toBe(disk.code)
      const made = await makeSession()
      expect(await refusal(made.sessionId, made.commandId)).toBe(disk.code)
      disk.recovers()
      await says(undefined)
      expect(rig.system.agent.pid).toBe(pid)
      const rows = await rig.agree(sessionId)
      const viewer = await openViewer(rig.system.hub, sessionId)
      await viewer.reaches(rows.at(-1)?.seq ?? 0)
      viewer.close()
      const before = head(other)
      await rig.prompt(other, [{ text: 'Now.' }])
      await until('the next turn', () => head(other) > before)
      await rig.agree(other)
      expect(existsSync(rig.system.agent.sessionFolder(made.sessionId))).toBe(false)
    },
    120_000,
  )

  it.skipIf(missing !== null || !(first || onBoth))(
    '[FLOW-4.5] [PERM-1] while a person decides: the answer is refused and not shown as taken, and counts when it is given again',
    async () => {
      const disk = await make()
      const sessionId = await rig.begin([
        { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } },
        { text: 'The end.' },
      ])
      const ask = await rig.asked(sessionId)
      disk.refuses()
      await says(disk.says)
      await rig.allow(ask)
      const open = await until('the question to be open again', async () => {
        const { requests } = (await rig.rest.snapshot(sessionId, 1)).session
        const request = requests.find((one) => one.ask.requestId === ask.requestId)
        return request?.decision === null && request
      })
      expect(open.outcome).toBe('open')
      expect(existsSync(path.join(rig.system.workDir, 'a.txt'))).toBe(false)
      disk.recovers()
      await says(undefined)
      await rig.allow(ask)
      await rig.agree(sessionId)
      expect(existsSync(path.join(rig.system.workDir, 'a.txt'))).toBe(true)
    },
    120_000,
  )

  it.skipIf(missing !== null || !(first || onBoth))(
    '[FLOW-2.9] [FLOW-2.11] [RES-6] a host killed while it holds what no disk took: everything printed is in the log, or the log says that it may not be',
    async () => {
      const disk = await make()
      const sessionId = await rig.begin([{ count: { to: 2_000, delayMs: 5 } }])
      await until('some events at the hub', () => rig.stored(sessionId) > 20)
      disk.refuses()
      await until('the session to be paused', async () => (await statusOf(sessionId)).status === 'paused')
      // Nobody can read any more what it had printed, and its own record is gone.
      rmSync(rig.scriptState, { recursive: true })
      expect(rig.system.agent.killHost(sessionId)).toBe(true)
      await until('the host to be gone', () => !rig.system.agent.hasHost(sessionId))
      disk.recovers()
      await says(undefined)
      await until('its end to be recorded', () => kindsOf(sessionId).includes('process_exited'))
      const log = eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
      const told = log.find((event) => event.kind === 'system' && event.subtype === 'output_lost')
      expect(told, 'the log says that something may be missing').toBeDefined()
      await until('the hub to have it all', () => rig.stored(sessionId) === log.length)
      await rig.prompt(sessionId, [{ text: 'Again.' }])
      await until(
        'the next turn to end',
        () => kindsOf(sessionId).filter((kind) => kind === 'turn_completed').length === 2,
      )
    },
    120_000,
  )

  it.skipIf(missing !== null || !(first || onBoth))(
    '[FLOW-4.2] [LINK-4] daemon and hub die meanwhile: the machine comes back, says it again, and goes on when the disk does',
    async () => {
      const disk = await make()
      const sessionId = await rig.begin([{ count: { to: 400, delayMs: 10 } }, { text: 'The end.' }])
      await until('some events at the hub', () => rig.stored(sessionId) > 20)
      disk.refuses()
      await says(disk.says)
      await rig.system.agent.kill()
      rig.system.agent.launch()
      await says(disk.says)
      await rig.system.hub.kill()
      await rig.system.hub.start()
      await says(disk.says)
      disk.recovers()
      await says(undefined)
      await rig.agree(sessionId)
    },
    120_000,
  )

  it.skipIf(missing !== null || !(first || onBoth))(
    '[FLOW-4.6] a person stops a turn meanwhile: its program ends at once, and the log tells it when there is room',
    async () => {
      const disk = await make()
      const sessionId = await rig.begin([{ count: { to: 2_000, delayMs: 5 } }])
      await until('some events at the hub', () => rig.stored(sessionId) > 20)
      const { turnId = '' } = (await rig.rest.snapshot(sessionId, 1)).session
      disk.refuses()
      await until('the session to be paused', async () => (await statusOf(sessionId)).status === 'paused')
      const pid = await until('the program', () => rig.system.agent.backendPid(sessionId))
      await rig.rest.interrupt(sessionId, turnId)
      await until('the program to end', () => !existsSync(`/proc/${pid}`))
      disk.recovers()
      await rig.agree(sessionId)
      expect(kindsOf(sessionId)).toContain('process_exited')
    },
    120_000,
  )
})

/** Longer, behind `ROUNDHOUSE_DISKS=all`: what a disk may refuse besides. */
describe.skipIf(!allOnBoth || why.eio !== null)('a disk that refuses', () => {
  /** `times`: so many calls it has to fail. Of files that are seldom made or written, one. */
  const kinds: Record<string, Failure & { times?: number }> = {
    'what is read as well': { calls: ['read', 'write', 'sync', 'make'] },
    'as a quota does': { error: 'EDQUOT' },
    'as one that was made read only': { error: 'EROFS' },
    'only what is flushed': { calls: ['sync'] },
    'only new files': { calls: ['make'], times: 1 },
    'only side files of databases': { paths: '-wal' },
    'only the index': { paths: 'index.db' },
    'only the spool': { paths: '/spool/', times: 1 },
  }
  it.each(Object.entries(kinds))(
    '[FLOW-4] %s ends nothing: nothing that was printed is missing without a word',
    async (_name, { times = 5, ...how }) => {
      const agentHome = freshFolder('agent')
      const disk = failingDisk(agentHome)
      if (typeof disk === 'string') throw new Error(disk)
      ends.push(() => disk.close())
      await start(agentHome, disk.env)
      const sessionId = await rig.begin([
        { count: { to: 150, delayMs: 10 } },
        { text: 'A text in many pieces, written slowly.', chunk: 2, delayMs: 50 },
        { count: { to: 150, delayMs: 10 } },
      ])
      await until('some events at the hub', () => rig.stored(sessionId) > 20)
      disk.fails(how)
      const before = disk.failed()
      await until('it to refuse', () => disk.failed() - before >= times)
      disk.heals()
      await says(undefined)
      await rig.agree(sessionId).catch((error: Error) => {
        throw new Error(`${error.message}\n${rig.system.agent.output}\n${hostLog(sessionId)}`)
      })
      process.kill(rig.system.agent.pid, 0)
    },
    120_000,
  )
})

const hostLog = (sessionId: string) =>
  readFileSync(path.join(rig.system.agent.sessionFolder(sessionId), 'host.log'), 'utf8').slice(-3_000)
