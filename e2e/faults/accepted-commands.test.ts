/**
 * Commands whose host dies in the instant in which it accepted them, before or behind its answer, alone or with its daemon.
 * Each comes to an end that the hub knows, and the session goes on.
 */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CommandMade } from '@roundhouse/backend-types'
import type Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTheFile } from '../support/accounts/in-the-file'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const folder = freshFolder('accepted')
/** While it is there, the next host that accepts a command dies of it. */
const deadly = path.join(folder, 'deadly')

let rig: Rig
beforeAll(async () => {
  rig = await startRig({ agentFailpoints: { 'agent.command.accepted': { do: 'kill', while: deadly } } })
})
afterAll(async () => {
  await rig.dispose()
  rmSync(folder, { recursive: true })
})

const asking = [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Over.' }]
const stubborn = [{ ignoreSigterm: true, text: 'Begun.' }, { count: { to: 10_000, delayMs: 20 } }]
const view = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session
let prompts = 0

/** A turn that asks, and two prompts behind it. */
async function queued(): Promise<string> {
  const sessionId = await rig.begin(asking)
  await rig.asked(sessionId)
  for (const text of ['One.', 'Two.'])
    await rig.rest.prompt(sessionId, { promptId: `q_${prompts++}`, text: scriptOf([{ text }]) })
  await until('both to wait', async () => (await view(sessionId)).queue.length === 2)
  return sessionId
}

async function speaking(): Promise<string> {
  const sessionId = await rig.begin(stubborn)
  await until('it to speak', async () => (await view(sessionId)).lastLine !== undefined)
  return sessionId
}

async function ended(make: () => Promise<string>): Promise<string> {
  const sessionId = await make()
  await rig.rest.endProcess(sessionId)
  await until('its program to end', async () => (await view(sessionId)).status.status === 'resumable')
  return sessionId
}

async function firstOf(sessionId: string) {
  const [first] = (await view(sessionId)).queue
  if (!first) throw new Error('a prompt waits')
  return { promptId: first.promptId, rev: first.rev }
}

interface Kind {
  prepared(): Promise<string>
  give(sessionId: string): Promise<CommandMade>
}

const kinds: Record<string, Kind> = {
  // Of one that does not hear it, and is killed for that later.
  'process.end': { prepared: speaking, give: (sessionId) => rig.rest.endProcess(sessionId) },
  'session.resume': {
    prepared: () => ended(() => rig.begin([{ text: 'Said.' }])),
    give: (sessionId) => rig.rest.resume(sessionId),
  },
  'turn.interrupt': {
    prepared: queued,
    give: async (sessionId) => rig.rest.interrupt(sessionId, (await view(sessionId)).turnId ?? ''),
  },
  'queue.edit': {
    prepared: queued,
    give: async (sessionId) =>
      rig.rest.queue(sessionId, { op: 'edit', ...(await firstOf(sessionId)), text: scriptOf([{ text: 'Edited.' }]) }),
  },
  'queue.remove': {
    prepared: queued,
    give: async (sessionId) => rig.rest.queue(sessionId, { op: 'remove', ...(await firstOf(sessionId)) }),
  },
  'queue.move': {
    prepared: queued,
    give: async (sessionId) => rig.rest.queue(sessionId, { op: 'move', ...(await firstOf(sessionId)), toIndex: 1 }),
  },
  'queue.release': {
    prepared: () => ended(queued),
    give: (sessionId) => rig.rest.queue(sessionId, { op: 'release' }),
  },
}

const inHubFile = <T>(work: (db: Database.Database) => T): T =>
  inTheFile(path.join(rig.system.hub.dataDir, 'hub.db'), work)
const stateOf = (commandId: string) =>
  inHubFile((db) => db.prepare('SELECT state FROM Command WHERE commandId = ?').pluck().get(commandId)) as string
/** As if it had been made a while ago: the hub asks for the end of what is older than half a minute. */
const age = (commandId: string) =>
  inHubFile((db) => db.prepare('UPDATE Command SET createdAt = createdAt - 60000 WHERE commandId = ?').run(commandId))

const over = new Set(['done', 'refused', 'outcome_unknown'])
const begun = new Set(['accepted', ...over])

async function settles(sessionId: string, commandId: string): Promise<string> {
  await until('the machine to have taken it', () => begun.has(stateOf(commandId)))
  age(commandId)
  await until(`the end of ${commandId}`, () => over.has(stateOf(commandId)))
  // And the session takes the next one.
  const { requests, queueHeld, queue } = await view(sessionId)
  for (const { ask, outcome, decision } of requests) if (outcome === 'open' && !decision) await rig.allow(ask)
  if (queueHeld && queue.length > 0) await rig.rest.queue(sessionId, { op: 'release' })
  await rig.prompt(sessionId, [{ text: 'And on.' }])
  await until('the next prompt to be answered', async () => (await view(sessionId)).lastLine === 'And on.').catch(
    async (cause) => {
      const log = eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
      const told = JSON.stringify([await view(sessionId), log.slice(-12)])
      throw new Error(`${told}\n${rig.system.agent.output}`, { cause })
    },
  )
  return stateOf(commandId)
}

/** Each is played with one of the two deaths, in turn. */
const deaths = Object.entries(kinds).map(([name, kind], n) => [name, kind, n % 2 === 0] as const)

describe.each(deaths)('[CMD-3] an accepted %s', (_kind, { prepared, give }, dies) => {
  it.runIf(wholeMatrix || dies)('whose host dies before it answers', async () => {
    const sessionId = await prepared()
    writeFileSync(deadly, '')
    const host = rig.system.agent.hostPid(sessionId)
    const given = give(sessionId)
    await until('the host to die of it', () => rig.system.agent.hostPid(sessionId) !== host || !isThere(host))
    rmSync(deadly)
    const { commandId } = await given
    expect(over).toContain(await settles(sessionId, commandId))
  })

  it.runIf(wholeMatrix || !dies)('whose host is killed behind its answer, and its daemon with it', async () => {
    const sessionId = await prepared()
    const { agent } = rig.system
    const { commandId } = await give(sessionId)
    await until('the machine to have taken it', () => begun.has(stateOf(commandId)))
    const killed = agent.kill()
    agent.killHost(sessionId)
    await killed
    await agent.start()
    expect(over).toContain(await settles(sessionId, commandId))
  })
})

function isThere(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}
