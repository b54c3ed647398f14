import type { AuditItem } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type AuditFacts, CHAIN_START, ChainWalk, canonical, hashAfter, lastHash } from './audit-chain'

const facts = (change: Partial<AuditFacts> = {}): AuditFacts => ({
  id: 1,
  at: 1_700_000_000_000,
  actorId: 'u_1',
  actorName: 'Ana',
  action: 'session.create',
  object: 'ses_1',
  outcome: 'ok',
  address: '::1',
  detail: null,
  ...change,
})

function chained(count: number): AuditItem[] {
  const rows: AuditItem[] = []
  for (let id = 1; id <= count; id += 1) {
    const row = facts({ id, detail: `{"n":${id}}` })
    rows.push({ ...row, hash: hashAfter(rows.at(-1)?.hash ?? CHAIN_START, row) })
  }
  return rows
}

/** The id of the first row that does not hold, or null. */
function broken(rows: readonly AuditItem[], start = 0): number | null {
  const walk = new ChainWalk()
  return rows.find((row) => walk.step(row, start) !== null)?.id ?? null
}

describe('the chain of the audit log', () => {
  it('has one canonical form, whatever the order in which the facts came', () => {
    const text =
      '{"action":"session.create","actorId":"u_1","actorName":"Ana","address":"::1","at":1700000000000,"detail":null,"id":1,"object":"ses_1","outcome":"ok"}'
    expect(canonical(facts())).toBe(text)
    expect(canonical(Object.fromEntries(Object.entries(facts()).reverse()) as AuditFacts)).toBe(text)
    expect(hashAfter(CHAIN_START, facts())).toBe('31b7669a10279204ae53ca429698b71ba36ff702c63c89eca5326042a01a2ba8')
  })

  it('holds as it was written', () => {
    const walk = new ChainWalk()
    for (const row of chained(3)) expect(walk.step(row, 0)).toBeNull()
    expect([walk.count, walk.head.hash]).toEqual([3, chained(3)[2]?.hash])
  })

  it.each(Object.keys(facts()) as Array<keyof AuditFacts>)('breaks where %s was changed', (name) => {
    const rows = chained(3)
    const changed = rows.map((row) => (row.id === 2 ? { ...row, [name]: name === 'id' ? 2.5 : 'other' } : row))
    expect(broken(changed)).toBe(name === 'id' ? 2.5 : 2)
  })

  it('breaks where a hash was changed, a row is gone, put in or moved', () => {
    const [a, b, c] = chained(3) as [AuditItem, AuditItem, AuditItem]
    expect(broken([a, { ...b, hash: c.hash }, c])).toBe(2)
    expect(broken([a, c])).toBe(3)
    expect(broken([b, c])).toBe(2)
    expect(broken([a, a, b, c])).toBe(1)
    expect(broken([a, c, b])).toBe(3)
  })

  it('covers the rows that are older than itself, and lets no other be without a hash', () => {
    const old = chained(2).map((row) => ({ ...row, hash: '' }))
    const first = facts({ id: 3 })
    const rows = [...old, { ...first, hash: hashAfter(lastHash(old), first) }]
    expect(broken(rows, 2)).toBeNull()
    expect(broken(rows, 1)).toBe(2)
    expect(
      broken(
        rows.map((row) => (row.id === 1 ? { ...row, actorName: 'Eve' } : row)),
        2,
      ),
    ).toBe(3)
  })
})
