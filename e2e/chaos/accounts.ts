/**
 * The reckoning over one session: what its script wrote down by itself, the agent's log, the hub's table, and what a
 * viewer that lived through everything shows. Each number but the first few has to be nought.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { blocksOf, eventsOf, logOf, tableOf, truthOf } from '../support/accounts/ledger'
import type { Decided } from './people'
import type { Viewer } from './viewer'
import type { ChaosSession, World } from './world'

export interface Account {
  /** Finished blocks that the script printed. */
  sent: number
  /** Events in the hub's table. */
  stored: number
  lost: number
  doubled: number
  reordered: number
  /** Holes in the numbers that no gap stands for, and places where hub or viewer differ from the log. */
  silentGaps: number
  visibleGaps: number
  requests: number
  applied: number
  appliedTwice: number
  /** Allowed and applied but without its mark, or not allowed and marked all the same. */
  wronglyApplied: number
  startedTwice: number
  turnsWithoutEnd: number
}

const none: Account = {
  sent: 0,
  stored: 0,
  lost: 0,
  doubled: 0,
  reordered: 0,
  silentGaps: 0,
  visibleGaps: 0,
  requests: 0,
  applied: 0,
  appliedTwice: 0,
  wronglyApplied: 0,
  startedTwice: 0,
  turnsWithoutEnd: 0,
}

export const mustBeNought: ReadonlyArray<keyof Account> = [
  'lost',
  'doubled',
  'reordered',
  'silentGaps',
  'visibleGaps',
  'appliedTwice',
  'wronglyApplied',
  'startedTwice',
  'turnsWithoutEnd',
]

export async function reckon(world: World, decided: readonly Decided[]): Promise<Account> {
  const sum = { ...none }
  for (const [i, session] of world.sessions.entries()) {
    const account = await reckonOne(world, session, world.viewers[i] as Viewer, decided)
    for (const key of Object.keys(sum) as Array<keyof Account>) sum[key] += account[key]
  }
  return sum
}

async function reckonOne(
  { hub }: World,
  { sessionId, machine, label, turns }: ChaosSession,
  viewer: Viewer,
  decided: readonly Decided[],
): Promise<Account> {
  const rows = logOf(machine.process.sessionFolder(sessionId))
  const events = eventsOf(rows)
  const table = tableOf(hub.dataDir, sessionId)
  const wrote = truthOf(machine.truthFile, events)
  const logged = blocksOf(events)
  const shown = (await viewer.everything()).map(({ event }) => JSON.stringify(event))
  const { missing: lost } = compare(wrote, logged)
  const { missing: doubled } = compare(logged, wrote)
  const inOrder = lost + doubled > 0 || JSON.stringify(wrote) === JSON.stringify(logged)
  const gaps = events.filter(({ kind }) => kind === 'gap').length
  const holes = rows.filter(({ seq }, index) => gaps === 0 && seq !== index + 1).length
  const resolved = events.flatMap((event) => (event.kind === 'permission_resolved' ? [event] : []))
  const applied = resolved.filter(({ outcome }) => outcome === 'applied')
  const prompts = events.flatMap((event) => (event.kind === 'user_message' && event.promptId ? [event.promptId] : []))
  const marks = marksOf(path.join(machine.workDir, 'marks.txt'))
  const allowedOnes = applied.filter(({ requestId }) =>
    decided.some((one) => one.requestId === requestId && one.decision === 'allow'),
  )
  const own = Array.from({ length: turns }, (_, n) => marks.get(`${label}-${n + 1}`) ?? 0)
  const unsure = resolved.length - applied.length
  const marked = own.filter((count) => count > 0).length
  return {
    sent: wrote.length,
    stored: table.length,
    lost,
    doubled,
    reordered: inOrder ? 0 : 1,
    silentGaps:
      holes +
      differences(table, rows) +
      differences(
        shown,
        events.map((event) => JSON.stringify(event)),
      ) +
      viewer.outOfOrder,
    visibleGaps: gaps,
    requests: events.filter(({ kind }) => kind === 'permission_requested').length,
    applied: applied.length,
    appliedTwice: repeats(applied.map(({ requestId }) => requestId)) + own.filter((count) => count > 1).length,
    // What ended as unknown may have run or not; nothing else may have run beyond what was allowed.
    wronglyApplied: Math.max(0, marked - allowedOnes.length - unsure),
    startedTwice: repeats(prompts),
    turnsWithoutEnd:
      events.filter(({ kind }) => kind === 'turn_started').length -
      events.filter(({ kind }) => kind === 'turn_completed').length,
  }
}

/** How many of `wanted` are not in `found`, counted as often as they occur. */
function compare(wanted: readonly string[], found: readonly string[]): { missing: number } {
  const left = new Map<string, number>()
  for (const one of found) left.set(one, (left.get(one) ?? 0) + 1)
  let missing = 0
  for (const one of wanted) {
    const count = left.get(one) ?? 0
    if (count === 0) missing += 1
    else left.set(one, count - 1)
  }
  return { missing }
}

function differences(found: readonly unknown[], wanted: readonly unknown[]): number {
  const differing = wanted.filter((one, index) => JSON.stringify(one) !== JSON.stringify(found[index])).length
  return differing + Math.max(0, found.length - wanted.length)
}

const repeats = (ids: readonly string[]) => ids.length - new Set(ids).size

function marksOf(file: string): Map<string, number> {
  const marks = new Map<string, number>()
  if (!existsSync(file)) return marks
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line) marks.set(line, (marks.get(line) ?? 0) + 1)
  return marks
}
