import { generateKeyPairSync } from 'node:crypto'
import { CodedError } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { AuditWatch } from '../audit/audit-watch'
import { Presence } from '../machines/presence'
import { ServedSessions } from '../machines/served-sessions'
import type { Transactions } from '../ports/stores'
import { AuditHeads } from './audit-heads'

describe('[AUD-2] [STORE-7] heads of the audit log on a disk that is full', () => {
  it('are given when it takes writes again, and the hub says nothing of it a second time', async () => {
    let now = 1_000_000
    let full = true
    const told: unknown[] = []
    const given: unknown[] = []
    const presence = new Presence(0)
    const link = { auditHead: (head: unknown) => void given.push(head) } as never
    presence.enter('agt_1', { link, connEpoch: 1, ready: true, served: new ServedSessions() })
    const heads = new AuditHeads({
      hub: { hubId: 'h', hubEpoch: 'e', privateKey: generateKeyPairSync('ed25519').privateKey },
      auditWatch: { check: async () => ({ intact: true }), newestId: () => 7 } as unknown as AuditWatch,
      transactions: {
        write: async () => {
          if (full) throw new CodedError('STORAGE_UNAVAILABLE')
          return { id: 7, hash: 'f'.repeat(64), count: 1 }
        },
      } as unknown as Transactions,
      presence,
      now: () => now,
      elapsed: () => now,
      log: { error: (facts: unknown) => void told.push(facts) } as never,
    })
    heads.want('agt_1')
    for (let second = 0; second < 5; second += 1) {
      await heads.idle()
      now += 1_000
      await heads.tick()
    }
    await heads.idle()
    expect(told).toEqual([])
    full = false
    now += 1_000
    await heads.tick()
    await heads.idle()
    expect(given).toHaveLength(1)
  })
})
