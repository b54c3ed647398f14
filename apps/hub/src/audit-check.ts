/**
 * `npm run audit:check [-- --data DIR] [--head HASH]`: walks the audit log of a hub's data folder, whether the hub runs or
 * not, and prints one line. Exit code 0: every row and every decision holds; 1: the first that does not; 2: not checked.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { AuditState } from '@roundhouse/backend-types'
import { AuditCheck } from './core'
import { openAuditReads } from './store'

const usage = 'usage: npm run audit:check [-- --data DIR] [--head HASH]'

/** `kept`: a head that was noted earlier and must still be in the chain. */
async function check(dataDir: string, kept: string | undefined): Promise<AuditState> {
  const { reads, close } = openAuditReads(path.join(dataDir, 'hub.db'))
  try {
    const state = await new AuditCheck(reads).run()
    if (!state.intact || kept === undefined || reads.hasHash(kept)) return state
    return { ...state, intact: false, broken: { why: `the head ${kept} is not in this chain` } }
  } finally {
    close()
  }
}

function lineOf({ count, head, broken }: AuditState): string {
  if (broken === null) return `audit log intact: ${count} rows, head ${head.id} ${head.hash}`
  const { id, requestId, why } = broken
  const where = id === undefined ? (requestId === undefined ? '' : `request ${requestId}: `) : `row ${id}: `
  return `AUDIT LOG BROKEN after ${count} good rows: ${where}${why}`
}

try {
  const { data, head } = parseArgs({ options: { data: { type: 'string' }, head: { type: 'string' } } }).values
  const state = await check(path.resolve(data ?? process.env.ROUNDHOUSE_DATA_DIR ?? '.roundhouse/hub'), head)
  console.log(lineOf(state))
  process.exitCode = state.intact ? 0 : 1
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
  process.exitCode = 2
}
