/**
 * Programs that the agent hosts run as its user and may write into its folders. A pipe or a link in the place of a file of one
 * session is felt by that session at most: the daemon waits for no pipe, and what a link leads to stays as it is.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventsOf, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { preciousThings, putInTheWay } from '../support/damage/in-the-way'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const IDLE_MS = 1_500
const START = ['--idle-ms', String(IDLE_MS)]
let rig: Rig
let neighbour: string
let precious: ReturnType<typeof preciousThings>

beforeAll(async () => {
  rig = await startRig({ idleMs: IDLE_MS })
})
afterAll(() => rig.dispose())
beforeEach(async () => {
  precious = preciousThings()
  neighbour = await rig.begin([
    { text: 'I ask.' },
    { tool: 'Write', input: { file_path: 'asked.txt', content: 'written' } },
    { text: 'The end.' },
  ])
  await rig.asked(neighbour)
})
afterEach(() => rmSync(precious.folder, { recursive: true, force: true }))

const folderOf = (sessionId: string) => rig.system.agent.sessionFolder(sessionId)
const stored = (sessionId: string) => eventsOf(tableOf(rig.system.hub.dataDir, sessionId))
const textsOf = (sessionId: string) =>
  stored(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [String(event.text)] : []))

const rests = (sessionId: string) => !existsSync(path.join(folderOf(sessionId), 'host.json'))

/** What an ordinary run leaves out. */
const some = (...names: string[]) => (wholeMatrix ? names : [])

/** In the place of these the session goes on by itself: nobody can have meant them, and they are made anew. */
const mended = [
  ...['host.json', 'session.json', 'guard.note', 'raw.ring', 'spool', 'log.db'],
  ...some('launch.json', 'log.damaged', 'landmarks.json', 'waits.json', 'unwritten', 'artifacts'),
  ...some('log.db-wal', 'log.db-journal'),
]
/** In the place of these it stops, and says what is to be moved away. */
const stopped = ['lock.db', 'host.log', ...some('lock.db-journal')]

/** One session for each of the names, all at rest. */
async function restingFor(names: readonly string[]): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  for (const name of names) made.set(name, await rig.begin([{ text: 'One.' }]))
  for (const sessionId of made.values()) {
    await until('the session to rest', () => textsOf(sessionId).includes('One.') && rests(sessionId))
  }
  return made
}

async function neighbourIsServed(): Promise<void> {
  await rig.allow(await rig.asked(neighbour))
  await rig.agree(neighbour)
  expect(textsOf(neighbour)).toEqual(['I ask.', 'The end.'])
  expect(stored(neighbour).filter(({ kind }) => kind === 'gap')).toEqual([])
}

/** What becomes of a prompt: `answered`, `outcome_unknown`, or the code and the words of the refusal. */
async function fateOf(sessionId: string, text: string, name = 'any'): Promise<string> {
  const { commandId } = await rig.prompt(sessionId, [{ text }])
  return until(`an answer of ${sessionId}, ${name}`, async () => {
    if (textsOf(sessionId).includes(text)) return 'answered'
    const { commands } = (await rig.rest.snapshot(sessionId, 1)).session
    const { state, error } = commands.find((one) => one.commandId === commandId) ?? {}
    if (state === 'outcome_unknown') return state
    return state === 'refused' && `${error?.code}: ${error?.message}`
  })
}

async function fates(sessions: ReadonlyMap<string, string>, text: string): Promise<Record<string, string>> {
  const all = [...sessions].map(async ([name, sessionId]) => {
    const fate = await fateOf(sessionId, text, name)
    // REB-1: it was sent to a log that is replaced, and that is said.
    const isReplaced = name === 'log.db' && fate === 'outcome_unknown'
    return [name, isReplaced ? await fateOf(sessionId, `${text} Again.`, name) : fate] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

const says = (name: string, what: string) =>
  expect.stringMatching(new RegExp(`^STATE_UNWRITABLE: \\S+/${name.replaceAll('.', '\\.')} is ${what}`))
const expected = (what: (name: string) => string) => ({
  ...Object.fromEntries(mended.map((name) => [name, 'answered'])),
  ...Object.fromEntries(stopped.map((name) => [name, says(name, what(name))])),
})
const targetOf = (name: string) => (['spool', 'artifacts'].includes(name) ? precious.inside : precious.file)

function isUntouched(): void {
  expect(readFileSync(precious.file, 'utf8')).toBe(precious.text)
  expect(readFileSync(precious.kept, 'utf8')).toBe(precious.text)
  expect([readdirSync(precious.folder).sort(), readdirSync(precious.inside)]).toEqual([
    ['file.txt', 'inside'],
    ['kept.txt'],
  ])
}

describe('in the place of a file of one session', () => {
  const words = { pipe: 'a named pipe', link: 'a link' } as const

  // A pipe in the place of one, a link in the place of the next; when it is done once more, the other way round.
  it.each(wholeMatrix ? [0, 1] : [0])(
    '[STORE-5] [REB-4] a pipe or a link stops the daemon neither at its start nor later, and no neighbour (from %i)',
    async (from) => {
      const { agent } = rig.system
      const names = [...mended, ...stopped]
      const sessions = await restingFor(names)
      const sortOf = (round: number) => (name: string) =>
        (names.indexOf(name) + from + round) % 2 === 0 ? 'pipe' : 'link'
      const put = (sort: (name: string) => keyof typeof words) => {
        for (const [name, sessionId] of sessions)
          putInTheWay(path.join(folderOf(sessionId), name), sort(name), targetOf(name))
      }
      const wanted = (sort: (name: string) => keyof typeof words) => expected((name) => words[sort(name)])
      await agent.kill()
      put(sortOf(0))
      await agent.start(START)
      const { pid } = agent
      await neighbourIsServed()
      expect(await fates(sessions, 'Two.')).toEqual(wanted(sortOf(0)))
      if (wholeMatrix) {
        // Once more, under a daemon that knows them all.
        await until('those that were answered to rest', () => mended.every((name) => rests(sessions.get(name) ?? '')))
        put(sortOf(1))
        expect(await fates(sessions, 'Three.')).toEqual(wanted(sortOf(1)))
      }
      for (const name of stopped) rmSync(path.join(folderOf(sessions.get(name) ?? ''), name))
      const freed = new Map(stopped.map((name) => [name, sessions.get(name) ?? '']))
      expect(await fates(freed, 'Four.')).toEqual(Object.fromEntries(stopped.map((name) => [name, 'answered'])))
      expect([agent.running, agent.pid]).toEqual([true, pid])
      isUntouched()
    },
  )

  variation('[STORE-5.17] a link where a file is about to be made is not written through', async () => {
    const { agent } = rig.system
    const sessionId = [...(await restingFor(['any'])).values()][0] ?? ''
    const made = ['launch.json', 'log.damaged', 'waits.json'].map((name) => path.join(folderOf(sessionId), name))
    const state = (name: string) => path.join(agent.home, 'state', name)
    const places = [...made, ...['daemon.json', 'chain', 'audit-heads.json'].map(state)]
    for (const place of places) putInTheWay(`${place}.${agent.pid}.tmp`, 'link', precious.file)
    putInTheWay(state('.probe'), 'link', precious.file)
    expect(await fateOf(sessionId, 'Two.')).toBe('answered')
    await rig.system.hub.kill()
    await rig.system.hub.start()
    await agent.connected()
    expect((await agent.command(['doctor'])).output).toContain(`${agent.home} can be written`)
    await agent.kill()
    await agent.start(START)
    await neighbourIsServed()
    isUntouched()
  })

  it('[SES-3] [STORE-5.18] what a link in the place of its folder leads to is not erased with it', async () => {
    const { agent } = rig.system
    const sessionId = [...(await restingFor(['any'])).values()][0] ?? ''
    renameSync(folderOf(sessionId), `${precious.folder}-moved`)
    putInTheWay(folderOf(sessionId), 'link', precious.folder)
    await rig.rest.deleteSession(sessionId)
    await until('the session to be gone', () => !agent.sessionIds().includes(sessionId))
    rmSync(`${precious.folder}-moved`, { recursive: true })
    await neighbourIsServed()
    isUntouched()
  })
})
