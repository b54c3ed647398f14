/**
 * Webhooks in SQLite. What is sent is recorded by the group commit, as what machines and programs write, so that a record costs no
 * transaction of its own. What people change comes in their transactions (`prisma-webhook-writes.ts`).
 */
import {
  DELIVERIES_KEPT,
  type DeliveredMessage,
  type DeliveryRow,
  type DeliveryStep,
  type WebhookRow,
  type WebhookStore,
} from '../../../core/ports/outbound/webhook-store'
import { coded } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import type { GroupCommit } from '../file/group-commit'
import { readable } from '../rows/row-by-row'
import { type RawDelivery, type RawWebhook, toDelivery, toWebhook } from '../rows/webhook-rows'

const deliveryColumns = 'deliveryId, webhookId, busOffset, state, createdAt, nextAt, askedAt, attempts, log'
const shownColumns = deliveryColumns.split(', ').map((name) => `d.${name}`)

type HookNow = { enabled: number; cursor: number; life: number }

export interface WebhookTableDeps {
  writer: Connection
  reader: Connection
  commits: GroupCommit
}

export function createWebhookTable({ writer, reader, commits }: WebhookTableDeps): WebhookStore {
  const find = reader.prepare<[string], RawWebhook>('SELECT * FROM Webhook WHERE webhookId = ?')
  const ofPerson = reader.prepare<[string], RawWebhook>(
    'SELECT * FROM Webhook WHERE userId = ? ORDER BY createdAt, webhookId',
  )
  const all = reader.prepare<[], RawWebhook & { ownerName: string }>(
    `SELECT w.*, u.name AS ownerName FROM Webhook w JOIN User u ON u.id = w.userId ORDER BY w.createdAt, w.webhookId`,
  )
  const atWork = reader
    .prepare<[], string>(
      `SELECT webhookId FROM Webhook WHERE enabled = 1
       UNION SELECT webhookId FROM WebhookDelivery WHERE askedAt IS NOT NULL`,
    )
    .pluck()
  const one = reader.prepare<[string], RawDelivery>(
    `SELECT ${deliveryColumns} FROM WebhookDelivery WHERE deliveryId = ?`,
  )
  const retrying = reader.prepare<[string], RawDelivery>(
    `SELECT ${deliveryColumns} FROM WebhookDelivery
     WHERE state = 'retrying' AND webhookId IN (SELECT value FROM json_each(?)) ORDER BY n`,
  )
  const asked = reader.prepare<[string], RawDelivery>(
    `SELECT ${deliveryColumns} FROM WebhookDelivery WHERE askedAt IS NOT NULL AND webhookId = ? ORDER BY askedAt, n LIMIT 1`,
  )
  const page = reader.prepare<[string, number, number], RawDelivery & DeliveredMessage & { n: number }>(
    `SELECT d.n, ${shownColumns}, m.topic, m.sessionId FROM WebhookDelivery d
     LEFT JOIN BusMessage m ON m."offset" = d.busOffset AND m.erased = 0
     WHERE d.webhookId = ? AND d.n < ? ORDER BY d.n DESC LIMIT ?`,
  )
  const hookNow = writer.prepare<[string], HookNow>('SELECT enabled, cursor, life FROM Webhook WHERE webhookId = ?')
  const put = writer.prepare<(string | number | null)[]>(
    `INSERT INTO WebhookDelivery (${deliveryColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (deliveryId) DO UPDATE SET state = excluded.state, nextAt = excluded.nextAt, askedAt = excluded.askedAt,
       attempts = excluded.attempts, log = excluded.log`,
  )
  const move = writer.prepare<[number, string]>('UPDATE Webhook SET cursor = max(cursor, ?) WHERE webhookId = ?')
  const pass = writer.prepare<[string, number]>(
    `UPDATE WebhookDelivery SET state = 'dropped', nextAt = NULL
     WHERE webhookId = ? AND state = 'retrying' AND busOffset <= ?`,
  )
  const failing = writer.prepare<[number | null, string]>('UPDATE Webhook SET failingSince = ? WHERE webhookId = ?')
  const arrived = writer.prepare<[number, string]>('UPDATE Webhook SET deliveredAt = ? WHERE webhookId = ?')
  const settled = `state NOT IN ('waiting', 'retrying') AND askedAt IS NULL`
  const forgetOld = writer.prepare<[number, number]>(
    `DELETE FROM WebhookDelivery WHERE n IN
     (SELECT n FROM WebhookDelivery WHERE createdAt < ? AND ${settled} ORDER BY createdAt LIMIT ?)`,
  )
  const forgetMany = writer.prepare<[number]>(
    `DELETE FROM WebhookDelivery WHERE n IN (
       SELECT d.n FROM WebhookDelivery d JOIN (
         SELECT webhookId, (SELECT o.n FROM WebhookDelivery o WHERE o.webhookId = w.webhookId
           ORDER BY o.n DESC LIMIT 1 OFFSET ${DELIVERIES_KEPT}) AS last FROM Webhook w) AS kept
       ON d.webhookId = kept.webhookId AND d.n <= kept.last WHERE ${settled} ORDER BY d.n LIMIT ?)`,
  )

  const record = (step: DeliveryStep) => {
    const { webhookId, began } = step
    const hook = hookNow.get(webhookId)
    if (!hook) return
    const isOfAnother = began !== undefined && began.life !== hook.life
    const { delivery, cursor, failingSince, deliveredAt }: Omit<DeliveryStep, 'webhookId'> = isOfAnother ? began : step
    if (delivery) put.run(...valuesOf(asOf(hook, delivery)))
    if (cursor !== undefined) move.run(cursor, webhookId)
    const passed = cursor ?? (delivery?.state === 'retrying' ? (delivery.busOffset ?? 0) - 1 : null)
    if (passed !== null) pass.run(webhookId, passed)
    if (failingSince !== undefined) failing.run(failingSince, webhookId)
    if (deliveredAt !== undefined) arrived.run(deliveredAt, webhookId)
  }

  return {
    find: coded((webhookId) => optional(find.get(webhookId), toWebhook)),
    ofPerson: coded((userId) => ofPerson.all(userId).flatMap(whole)),
    all: coded(() => all.all().flatMap(({ ownerName, ...row }) => whole(row).map((one) => ({ ...one, ownerName })))),
    atWork: coded(() => atWork.all()),
    delivery: coded((deliveryId) => optional(one.get(deliveryId), toDelivery)),
    retrying: coded(
      (webhookIds) => new Map(retrying.all(JSON.stringify(webhookIds)).map((row) => [row.webhookId, toDelivery(row)])),
    ),
    asked: coded((webhookId) => optional(asked.get(webhookId), toDelivery)),
    deliveries: coded((webhookId, { before, limit }) =>
      page
        .all(webhookId, before ?? Number.MAX_SAFE_INTEGER, limit)
        .map(({ n, topic, sessionId, ...row }) => ({ ...toDelivery(row), n, topic, sessionId })),
    ),
    record: (step) => commits.run(2, () => record(step)),
    forgetBefore: (time, most) =>
      commits.run(most, () => {
        const old = forgetOld.run(time, most).changes
        return old + forgetMany.run(most - old).changes
      }),
  }
}

const optional = <Raw, Row>(raw: Raw | undefined, to: (raw: Raw) => Row) => (raw === undefined ? undefined : to(raw))

/** Nobody tries again what failed while its webhook was turned off, or what the cursor has passed. */
function asOf({ enabled, cursor }: HookNow, delivery: DeliveryRow): DeliveryRow {
  if (delivery.state !== 'retrying' || (enabled === 1 && (delivery.busOffset ?? cursor) > cursor)) return delivery
  return { ...delivery, state: 'dropped', nextAt: null }
}

/** None: the row is damaged. The others are served all the same. */
function whole(row: RawWebhook): WebhookRow[] {
  const read = readable(() => toWebhook(row))
  return read ? [read] : []
}

function valuesOf(row: DeliveryRow): (string | number | null)[] {
  const { deliveryId, webhookId, busOffset, state, createdAt, nextAt, askedAt, attempts, log } = row
  return [deliveryId, webhookId, busOffset, state, createdAt, nextAt, askedAt, attempts, JSON.stringify(log)]
}
