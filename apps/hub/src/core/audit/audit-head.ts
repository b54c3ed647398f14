/**
 * Uses heads of the audit log as evidence outside the hub's file. The hub signs its newest row; machines keep it and
 * return it. If a returned head's row is missing or different, rows were cut off or replaced. A restore to an older
 * state changed the epoch (REB-2), and the rows that it lost do not count as missing. Pure.
 */
import { type AuditHead, signedText } from '@roundhouse/backend-types'
import { isSignedBy } from '@roundhouse/keys'
import type { AuditStore, DisownedHead, Restore } from '../ports/audit-store'

export function isGivenBy(hub: { hubId: string; publicKey: string }, head: AuditHead): boolean {
  return isSignedBy(hub.publicKey, signedText.auditHeadGiven(hub.hubId, head), head.signature)
}

/** The epochs that this file went through. */
export interface Past {
  hubEpoch: string
  restores: readonly Restore[]
}

const pastOf = async (reads: Pick<AuditStore, 'hub' | 'restores'>): Promise<Past> => ({
  hubEpoch: (await reads.hub()).hubEpoch,
  restores: await reads.restores(),
})

/** The restore that lost this row. Undefined: the row was cut off or replaced. */
function lostIn(head: DisownedHead, { hubEpoch, restores }: Past): Restore | undefined {
  // Rows written after the head was signed come after the point to which the data was restored.
  if (head.foundAt !== null && head.foundAt <= head.at) return undefined
  const own = restores.find(({ before }) => before === head.hubEpoch)
  if (own || head.hubEpoch === hubEpoch) return own
  // An epoch that this file never had: the same backup was restored twice.
  return restores.find(({ at }) => at >= head.at)
}

/**
 * Checks a head that a person brings. Returns what is wrong with it or with this log, or null if the log has it or a
 * restore lost it.
 */
export async function judgeBrought(
  head: AuditHead,
  reads: Pick<AuditStore, 'hub' | 'rowAt' | 'restores'>,
): Promise<string | null> {
  if (!isGivenBy(await reads.hub(), head)) return `the head ${head.id} is not signed by this hub`
  const found = await reads.rowAt(head.id)
  if (found?.hash === head.hash) return null
  const disowned = { ...head, agentId: '', foundAt: found?.at ?? null }
  if (lostIn(disowned, await pastOf(reads))) return null
  return found
    ? `the row ${head.id} is another one than the hub signed: the log was replaced`
    : `the row ${head.id} is missing: the end of the log was cut off, or the file is an older one`
}

export function judgeHeads(disowned: readonly DisownedHead[], past: Past) {
  const lost = disowned.map((head) => ({ head, restore: lostIn(head, past) }))
  const cut = lost.find(({ restore }) => restore === undefined)?.head ?? null
  return {
    cut,
    restores: past.restores.map(({ id }) => {
      const ids = lost.filter(({ restore }) => restore?.id === id).map(({ head }) => head.id)
      return { id, lostUpTo: ids.length > 0 ? Math.max(...ids) : null }
    }),
  }
}
