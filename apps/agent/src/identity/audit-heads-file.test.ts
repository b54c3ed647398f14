import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type AuditHead, MOST_AUDIT_HEADS } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { auditHeadsFile, withHead } from './audit-heads-file'

const head = (hubEpoch: string, id: number): AuditHead => ({
  hubEpoch,
  id,
  hash: 'a'.repeat(64),
  at: id,
  count: id,
  signature: 's',
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-heads-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('[AUD-2.3] the heads that a machine keeps', () => {
  it('are the newest of each epoch; an older row of the same epoch takes no place', () => {
    const kept = [head('e1', 5), head('e2', 3), head('e1', 4), head('e2', 7)].reduce<AuditHead[]>(withHead, [])
    expect(kept.map(({ hubEpoch, id }) => [hubEpoch, id])).toEqual([
      ['e1', 5],
      ['e2', 7],
    ])
  })

  it('are so many at most, the oldest epoch first to go', () => {
    const epochs = Array.from({ length: MOST_AUDIT_HEADS + 2 }, (_, n) => head(`e${n}`, 1))
    const kept = epochs.reduce<AuditHead[]>(withHead, [])
    expect(kept.map(({ hubEpoch }) => hubEpoch)).toEqual(epochs.slice(2).map(({ hubEpoch }) => hubEpoch))
  })

  it('outlive the process, in a file of its user alone; a damaged file is none', () => {
    const file = path.join(folder, 'heads.json')
    auditHeadsFile(file).keep(head('e1', 5))
    expect(auditHeadsFile(file).kept()).toEqual([head('e1', 5)])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, '[{')
    expect(auditHeadsFile(file).kept()).toEqual([])
  })
})
