/** The hub's own row: made at the first start, its `starts` raised at every one. */
import { randomBytes } from 'node:crypto'
import { makeKeyPair, readPrivateKey } from '@roundhouse/keys'
import type { HubRow } from '../../../core/ports/hub-store'
import type { Connection } from './connections'
import { destroyed, wasServed } from './whole-file'

export function loadHubIdentity(db: Connection, { now, file }: { now: number; file: string }): HubRow {
  const select = db.prepare<[], HubRow>(
    'SELECT hubId, hubEpoch, publicKey, privateKey, revocationVersion, starts FROM HubState WHERE id = 1',
  )
  return db
    .transaction(() => {
      if (!select.get()) {
        if (wasServed(file)) throw destroyed(file, 'has lost the identity of the hub')
        insert(db, now)
      }
      db.prepare('UPDATE HubState SET starts = starts + 1 WHERE id = 1').run()
      const row = select.get()
      if (!row || !isWhole(row)) throw destroyed(file, 'has lost the identity of the hub')
      return row
    })
    .immediate()
}

function isWhole({ hubId, hubEpoch, publicKey, privateKey }: HubRow): boolean {
  const isText = [hubId, hubEpoch, publicKey, privateKey].every((one) => typeof one === 'string' && one !== '')
  try {
    return isText && readPrivateKey(privateKey) !== null
  } catch {
    return false
  }
}

function insert(db: Connection, now: number): void {
  const { publicKey, privateKey } = makeKeyPair()
  db.prepare(
    'INSERT INTO HubState (id, hubId, hubEpoch, publicKey, privateKey, createdAt) VALUES (1, ?, ?, ?, ?, ?)',
  ).run(`hub_${randomBytes(9).toString('base64url')}`, newHubEpoch(), publicKey, privateKey, now)
}

export function newHubEpoch(): string {
  return `e_${randomBytes(9).toString('base64url')}`
}
