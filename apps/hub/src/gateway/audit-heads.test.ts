import type { AuditHead } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { ana, TestHub } from '../testing/test-hub'

describe('[AUD-2] heads of the audit log', () => {
  let hub: TestHub
  let agent: FakeAgent
  let now: number
  beforeEach(async () => {
    now = 1_000_000
    hub = await TestHub.start({ now: () => now })
    agent = await hub.connectedAgent()
  })
  afterEach(() => hub.stop())

  const given = async (count: number): Promise<AuditHead> => {
    await agent.waiter.until(() => agent.auditHeads.length >= count)
    return agent.auditHeads.at(-1) as AuditHead
  }
  const rows = () => hub.core.auditLog.page(ana, { limit: 100 })
  const again = async (auditHeads: AuditHead[]) => {
    await agent.open()
    return agent.hello({ auditHeads })
  }

  it('[AUD-2.1] are given after a hello, and once a minute while the log moves', async () => {
    const first = await given(1)
    expect(first).toMatchObject({ hubEpoch: hub.core.hub.hubEpoch(), id: (await rows()).state.head.id })
    await hub.core.audit({ actorId: 'hub', actorName: 'hub', action: 'deed', outcome: 'ok' })
    await hub.core.tick()
    now += 60_000
    await hub.core.tick()
    expect(await given(2)).toMatchObject({ id: first.id + 1, count: first.count + 1 })
    now += 60_000
    await hub.core.tick()
    await hub.core.tick()
    expect(agent.auditHeads).toHaveLength(2)
  })

  it('[AUD-2.5] that nobody gave are refused, are on record, and prove nothing', async () => {
    const head = await given(1)
    const forged = [
      { ...head, id: head.id + 50 },
      { ...head, count: 99 },
      { ...head, hubEpoch: 'e_other' },
      { ...head, hash: 'f'.repeat(64) },
    ]
    for (const one of forged) expect(await again([one])).toMatchObject({ ok: true })
    const { items, state } = await rows()
    expect(state.intact).toBe(true)
    expect(items.filter(({ action }) => action === 'agent.audit_head').map(({ outcome }) => outcome)).toEqual([
      'refused',
    ])
  })

  it('[AUD-2.7] that the log lacks are an alarm, and no machine is given another', async () => {
    const head = await given(1)
    const db = new Database(hub.store.file)
    db.exec('DROP TRIGGER Audit_no_delete')
    db.exec(
      `DELETE FROM Audit WHERE id >= ${head.id}; UPDATE sqlite_sequence SET seq = ${head.id - 1} WHERE name = 'Audit'`,
    )
    db.close()
    await again([head])
    await hub.core.tick() // machines that come within one second share what is given
    await hub.until(() => hub.warnings.length > 0)
    expect(hub.warnings).toContainEqual(expect.objectContaining({ message: 'THE AUDIT LOG WAS TAMPERED WITH' }))
    expect(agent.auditHeads).toHaveLength(1)
  })
})
