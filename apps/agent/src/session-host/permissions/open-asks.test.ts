import { beginApply, finishApply, withdraw } from '@roundhouse/delivery'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RequestRow } from '../../log/statements'
import { createRedactor } from '../../redact/redactor'
import { makeAsk, type OpenAsk } from './ask'
import { OpenAsks } from './open-asks'

const around = {
  key: Buffer.alloc(32),
  redact: createRedactor([]),
  roots: ['/code'],
  workDir: '/code',
  folders: ['/code'],
  rules: {},
  mayMode: () => true,
}
const asked = (requestId: string): OpenAsk =>
  makeAsk(
    { callId: `call of ${requestId}`, toolName: 'Bash', input: { command: requestId } },
    { requestId, procId: 'p1' },
    { askedAt: 1 },
    around,
  )
const short = (rows: RequestRow[]) => rows.map(({ requestId, outcome }) => `${requestId} ${outcome}`)

const [first, second] = [asked('r1'), asked('r2')]
let open: OpenAsks

beforeEach(() => {
  open = new OpenAsks()
  for (const one of [first, second]) open.add(one)
  expect(Object.keys(open.ledger)).toEqual(['r1', 'r2'])
})

/** The ledger while a person's allow of the first request is being applied. */
function applying() {
  const { requestId, procId, digest } = first.ask
  const incoming = { requestId, procId, digest, decision: 'allow', commandId: 'c1' } as const
  const begun = beginApply(open.ledger, incoming, { currentDigest: digest, effectiveDigest: digest })
  if (begun.kind !== 'apply') throw new Error(begun.kind)
  return begun.ledger
}

const idsOf = (asks: OpenAsks) => asks.all.map(({ ask }) => ask.requestId)

describe('open permission requests', () => {
  it('are found by their id and by the call that they are about', () => {
    expect([open.find('r1'), open.ofCall('call of r2'), open.find('r3')]).toEqual([first, second, undefined])
    expect(open.undecided()).toEqual([first.ask, second.ask])
  })

  it('[PERM-1] a request whose decision is being applied waits for nobody, and stays open until the backend has it', () => {
    expect(short(open.beginApply(first, applying()))).toEqual(['r1 applying'])
    expect([open.undecided(), idsOf(open)]).toEqual([[second.ask], ['r1', 'r2']])
    expect(short(open.take(finishApply(open.ledger, 'r1'), 'outcome_unknown'))).toEqual(['r1 outcome_unknown'])
    expect(idsOf(open)).toEqual(['r2'])
  })

  it('what a step closes leaves the ledger and the list together', () => {
    expect(short(open.take(withdraw(open.ledger, 'r1')))).toEqual(['r1 withdrawn'])
    expect([idsOf(open), Object.keys(open.ledger)]).toEqual([['r2'], ['r2']])
  })

  it('[PERM-2] one that is asked anew stands there under its new id alone', () => {
    expect(short(open.supersede(first, asked('r3')))).toEqual(['r1 superseded', 'r3 open'])
    expect([idsOf(open), Object.keys(open.ledger)]).toEqual([
      ['r2', 'r3'],
      ['r2', 'r3'],
    ])
  })
})
