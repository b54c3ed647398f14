/**
 * `npm run audit:check [-- --data DIR] [--head HASH] [--heads FILE]`: walks the audit log of a hub's data folder, whether the hub
 * runs or not. `FILE` is what `roundhouse-agent audit-heads` printed on a machine; it may be given several times. Prints one
 * line, one for each restore, and one for each person, machine or event that is not what it should be. Exit code 0: everything holds; 1: the first that does not; 2: not checked.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { AuditHead, type AuditState, toCodedError } from '@roundhouse/backend-types'
import { z } from 'zod'
import { AuditCheck, EventsWalk, judgeBrought, RightsOfLog } from './core'
import { type FolderReads, openAuditReads, openingError, readFolder, troubleOf } from './store/sqlite'

const usage = 'usage: npm run audit:check [-- --data DIR] [--head HASH] [--heads FILE]...'

/** Of one kind of damage there may be thousands. */
const MOST_LINES = 50

interface Kept {
  /** A hash that was noted earlier and must still be in the chain. */
  hash: string | undefined
  heads: AuditHead[]
}

async function check(dataDir: string, kept: Kept): Promise<AuditState> {
  const { reads, close } = openAuditReads(path.join(dataDir, 'hub.db'))
  try {
    const state = await new AuditCheck(reads).run()
    if (!state.intact) return state
    const unknown = kept.hash !== undefined && !(await reads.hasHash(kept.hash))
    const why = unknown
      ? `the head ${kept.hash} is not in this chain`
      : (await Promise.all(kept.heads.map((head) => judgeBrought(head, reads)))).find((found) => found !== null)
    return why === undefined ? state : { ...state, intact: false, broken: { why } }
  } finally {
    close()
  }
}

function linesOf({ count, head, restores, broken }: AuditState): string[] {
  if (broken === null) {
    const marks = restores.map(({ id, lostUpTo }) => {
      const lost = lostUpTo === null ? '' : `; rows up to ${lostUpTo} had been written before`
      return `row ${id}: the data was put back to an older state here${lost}`
    })
    return [`audit log intact: ${count} rows, head ${head.id} ${head.hash}`, ...marks]
  }
  const { id, requestId, why } = broken
  const where = id === undefined ? (requestId === undefined ? '' : `request ${requestId}: `) : `row ${id}: `
  return [`AUDIT LOG BROKEN after ${count} good rows: ${where}${why}`]
}

/** AUD-3: people and machines are what the log says that they became. */
function rightsFaults(reads: FolderReads): string[] {
  const rights = new RightsOfLog()
  for (const row of reads.rightsRows()) rights.take(row)
  return rights.differences(reads.people(), reads.machines()).map((fault) => `RIGHTS DIFFER: ${fault}`)
}

/** AUD-3: one event in memory at a time. */
function eventFaults(reads: FolderReads): string[] {
  const walk = new EventsWalk()
  const faults: string[] = []
  let last = 'the beginning'
  try {
    for (const event of reads.events()) {
      const fault = walk.step(event)
      if (fault !== null) faults.push(fault)
      last = `${event.sessionId} ${event.seq}`
    }
    faults.push(...walk.end(reads.sessions()))
  } catch (error) {
    if (troubleOf(error) !== 'damaged') throw error
    faults.push(`behind ${last} the file cannot be read on (${String((error as Error).message)})`)
  }
  return faults.map((fault) => `EVENTS CHANGED: ${fault}`)
}

const readHeads = (file: string): AuditHead[] => z.array(AuditHead).parse(JSON.parse(readFileSync(file, 'utf8')))

try {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, head: { type: 'string' }, heads: { type: 'string', multiple: true } },
  })
  const kept = { hash: values.head, heads: (values.heads ?? []).flatMap(readHeads) }
  const dataDir = path.resolve(values.data ?? process.env.ROUNDHOUSE_DATA_DIR ?? '.roundhouse/hub')
  const file = path.join(dataDir, 'hub.db')
  const state = await check(dataDir, kept).catch((error) => {
    throw openingError(file, error)
  })
  const others = readFolder(file, (reads) => [...rightsFaults(reads), ...eventFaults(reads)])
  for (const line of [...linesOf(state), ...others.slice(0, MOST_LINES)]) console.log(line)
  if (others.length > MOST_LINES) console.log(`and ${others.length - MOST_LINES} more`)
  process.exitCode = state.intact && others.length === 0 ? 0 : 1
} catch (error) {
  const damaged = toCodedError(error).code === 'STORAGE_DAMAGED'
  console.error(`${error instanceof Error ? error.message : error}${damaged ? '' : `\n${usage}`}`)
  process.exitCode = damaged ? 1 : 2
}
