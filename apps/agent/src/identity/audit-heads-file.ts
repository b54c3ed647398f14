/**
 * The newest signed head of the hub's audit log, one for each epoch. The agent returns them at every hello. If a hub's log
 * lacks such a row, somebody tampered with it or restored an older state. The signature proves that to anybody.
 */
import { AuditHead, MOST_AUDIT_HEADS } from '@roundhouse/backend-types'
import { z } from 'zod'
import { readIfThere } from '../files/read-if-there'
import { writeDurablyOrInPlace } from '../files/write-durably'

/** `guarded` writes later where the disk refuses; until then this process knows them. */
export function auditHeadsFile(file: string, guarded: (write: () => void) => void = (write) => write()) {
  let unwritten: AuditHead[] | null = null
  const kept = () => unwritten ?? readHeads(file)
  return {
    kept,
    keep: (head: AuditHead) => {
      const before = unwritten ?? readHeads(file, 'or throw')
      const after = withHead(before, head)
      if (after === before) return
      unwritten = after
      guarded(() => {
        writeDurablyOrInPlace(file, `${JSON.stringify(after)}\n`)
        unwritten = null
      })
    },
  }
}

/** A hub that shows an older row of the same epoch is no reason to forget the newer one. */
export function withHead(heads: AuditHead[], head: AuditHead): AuditHead[] {
  const known = heads.find(({ hubEpoch }) => hubEpoch === head.hubEpoch)
  if (known && known.id >= head.id) return heads
  return [...heads.filter((one) => one !== known), head].slice(-MOST_AUDIT_HEADS)
}

/**
 * A damaged file proves nothing, and must not keep the machine away. Nor must one that cannot be read now; but nothing is
 * written over it.
 */
function readHeads(file: string, unreadable: 'is none' | 'or throw' = 'is none'): AuditHead[] {
  let text: string | null
  try {
    text = readIfThere(file)
  } catch (error) {
    if (unreadable === 'or throw') throw error
    return []
  }
  try {
    return text === null ? [] : z.array(AuditHead).parse(JSON.parse(text))
  } catch {
    return []
  }
}
