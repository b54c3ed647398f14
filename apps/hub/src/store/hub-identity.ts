/** The hub's own row: made at the first start, its `starts` raised at every one. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { HubRow } from '../core/ports'
import type { Connection } from './connections'

/** What stands before the raw key in the DER form of an Ed25519 public key. */
const SPKI_PREFIX_BYTES = 12

export function loadHubIdentity(db: Connection, now: number): HubRow {
  const select = db.prepare<[], HubRow>(
    'SELECT hubId, hubEpoch, publicKey, privateKey, revocationVersion, starts FROM HubState WHERE id = 1',
  )
  return db
    .transaction(() => {
      if (!select.get()) insert(db, now)
      db.prepare('UPDATE HubState SET starts = starts + 1 WHERE id = 1').run()
      const row = select.get()
      if (!row) throw new Error('the row of the hub is missing')
      return row
    })
    .immediate()
}

function insert(db: Connection, now: number): void {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX_BYTES)
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' })
  db.prepare(
    'INSERT INTO HubState (id, hubId, hubEpoch, publicKey, privateKey, createdAt) VALUES (1, ?, ?, ?, ?, ?)',
  ).run(
    `hub_${randomBytes(9).toString('base64url')}`,
    newHubEpoch(),
    raw.toString('base64url'),
    secret.toString('base64url'),
    now,
  )
}

export function newHubEpoch(): string {
  return `e_${randomBytes(9).toString('base64url')}`
}
