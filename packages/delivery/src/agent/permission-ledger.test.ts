import { describe, expect, it } from 'vitest'
import { ask } from '../testing/builders'
import {
  beginApply,
  expire,
  finishApply,
  type IncomingDecision,
  openRequest,
  orphanAll,
  type PermissionLedger,
  supersede,
  withdraw,
} from './permission-ledger'

const open = openRequest({}, ask())
const allow: IncomingDecision = { requestId: 'r', procId: 'p', digest: 'd', decision: 'allow', commandId: 'k' }
const same = { currentDigest: 'd', effectiveDigest: 'd' }
const applying: PermissionLedger = {
  r: { ask: ask(), applying: { decision: 'allow', effectiveDigest: 'd', commandId: 'k' } },
}
const closed = (outcome: string, over = {}) => [{ ask: ask(), outcome, applying: null, ...over }]

describe('beginApply', () => {
  it('[PERM-2.25] an allow on the open digest is on record before the CLI hears of it', () => {
    expect(beginApply(open, allow, same)).toEqual({ kind: 'apply', ledger: applying, entry: applying.r })
  })

  it('[PERM-2.26] an edit is applied under both digests', () => {
    const begun = beginApply(open, allow, { ...same, effectiveDigest: 'edited' })
    expect(begun).toMatchObject({
      kind: 'apply',
      entry: { ask: { digest: 'd' }, applying: { effectiveDigest: 'edited' } },
    })
  })

  it('[PERM-2.27] a decision is applied at most once', () => {
    expect(beginApply(applying, allow, same)).toEqual({ kind: 'gone' })
    expect(beginApply(finishApply(applying, 'r').ledger, allow, same)).toEqual({ kind: 'gone' })
  })

  it('[PERM-3.3] a decision for another process is not carried over', () => {
    expect(beginApply(open, { ...allow, procId: 'dead' }, same)).toEqual({ kind: 'gone' })
  })

  it('[PERM-2.22] what is no longer what was shown does not run', () => {
    expect(beginApply(open, { ...allow, digest: 'seen long ago' }, same)).toEqual({ kind: 'changed' })
    expect(beginApply(open, allow, { ...same, currentDigest: 'a file has changed' })).toEqual({ kind: 'changed' })
  })

  it.each(['deny', 'abort'] as const)('[PERM-2] %s needs no proof of what was seen', (decision) => {
    const begun = beginApply(
      open,
      { ...allow, decision, digest: 'old' },
      { ...same, currentDigest: 'new', refusedBy: 'policy' },
    )
    expect(begun.kind).toBe('apply')
  })

  it.each(['policy', 'path'] as const)(
    '[POL-1] [PERM-2] an allow that breaks a %s rule closes the request',
    (refusedBy) => {
      expect(beginApply(open, allow, { ...same, refusedBy })).toEqual({
        kind: 'refused',
        refusedBy,
        step: { ledger: {}, closed: closed('refused') },
      })
    },
  )
})

describe('the ledger', () => {
  it('[PERM-1] a request opens once', () => {
    expect(openRequest(open, ask({ toolName: 'Other' }))).toEqual(open)
  })

  it('[PERM-2.26] an applied request leaves the ledger with what ran', () => {
    expect(finishApply(applying, 'r')).toEqual({
      ledger: {},
      closed: closed('applied', { applying: applying.r?.applying }),
    })
    expect(finishApply(open, 'r')).toEqual({ ledger: open, closed: [] })
  })

  it('[PERM-3.2] when the CLI is gone, what was open is orphaned and what was half applied is unknown', () => {
    const both = openRequest({ ...applying }, ask({ requestId: 'r2' }))
    const other = openRequest(both, ask({ requestId: 'r3', procId: 'other' }))
    const step = orphanAll(other, 'p')
    expect(step.closed.map(({ ask: { requestId }, outcome }) => [requestId, outcome])).toEqual([
      ['r', 'outcome_unknown'],
      ['r2', 'orphaned'],
    ])
    expect(Object.keys(step.ledger)).toEqual(['r3'])
  })

  it('[PERM-4.1] nothing expires unless it has a time, and nothing that is being applied', () => {
    const timed = { r: { ask: ask({ expiresAt: 100 }), applying: null } }
    const over = () => true
    expect(expire(open, over).closed).toEqual([])
    expect(expire(timed, () => false).closed).toEqual([])
    expect(expire(timed, over)).toEqual({
      ledger: {},
      closed: [{ ask: ask({ expiresAt: 100 }), outcome: 'expired', applying: null }],
    })
    expect(expire({ r: { ask: ask({ expiresAt: 1 }), applying: applying.r?.applying ?? null } }, over).closed).toEqual(
      [],
    )
  })

  it('[PERM-1] a backend takes its ask back, unless the answer is on its way', () => {
    expect(withdraw(open, 'r')).toEqual({ ledger: {}, closed: closed('withdrawn') })
    expect(withdraw(applying, 'r')).toEqual({ ledger: applying, closed: [] })
  })

  it('[PERM-2.28] the same ask goes on as a new request under its new digest', () => {
    const renewed = ask({ requestId: 'r2', digest: 'd2' })
    expect(supersede(open, 'r', renewed)).toEqual({
      ledger: { r2: { ask: renewed, applying: null } },
      closed: closed('superseded', { supersededBy: 'r2' }),
    })
    expect(supersede(applying, 'r', renewed)).toEqual({ ledger: applying, closed: [] })
  })
})
