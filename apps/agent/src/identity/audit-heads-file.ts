/**
 * The newest head of the hub's audit log, one of each epoch, as the hub signed it. It is returned at every hello: a hub whose
 * log lacks that row was tampered with, or put back to an older state. The signature says so to anybody, not to us alone.
 */
import { existsSync, readFileSync } from 'node:fs'
import { AuditHead, MOST_AUDIT_HEADS } from '@roundhouse/backend-types'
import { z } from 'zod'
import { writeDurably } from '../files/write-durably'

export function auditHeadsFile(file: string) {
  return {
    kept: () => readHeads(file),
    keep: (head: AuditHead) => {
      const before = readHeads(file)
      const after = withHead(before, head)
      if (after !== before) writeDurably(file, `${JSON.stringify(after)}\n`)
    },
  }
}

/** A hub that shows an older row of the same epoch is no reason to forget the newer one. */
export function withHead(heads: AuditHead[], head: AuditHead): AuditHead[] {
  const known = heads.find(({ hubEpoch }) => hubEpoch === head.hubEpoch)
  if (known && known.id >= head.id) return heads
  return [...heads.filter((one) => one !== known), head].slice(-MOST_AUDIT_HEADS)
}

/** A damaged file proves nothing, and must not keep the machine away. */
function readHeads(file: string): AuditHead[] {
  try {
    return existsSync(file) ? z.array(AuditHead).parse(JSON.parse(readFileSync(file, 'utf8'))) : []
  } catch {
    return []
  }
}
