import { describe, expect, it } from 'vitest'
import { report, stream } from '../testing/builders'
import { isFenced } from './fence'
import { judgeReport, type KnownSession } from './judge-report'

const known = (committed: number, logId: string | null = 'log'): KnownSession => ({
  state: 'known',
  stream: stream({ committed, logId }),
})

describe('judgeReport', () => {
  it('[LINK-2.5] the hub asks for what follows its last stored event', () => {
    expect(judgeReport(report(), known(10), 'epoch')).toEqual({ sessionId: 's', verdict: 'resume', from: 11 })
  })

  it('[LINK-2] an acknowledgement that was lost on the way changes nothing', () => {
    expect(judgeReport(report({ acked: 4 }), known(10), 'epoch')).toMatchObject({ verdict: 'resume', from: 11 })
  })

  it('[SES-3.8] a session that the hub does not know is sent from its beginning', () => {
    expect(judgeReport(report({ acked: 0 }), { state: 'unknown' }, 'epoch')).toEqual({
      sessionId: 's',
      verdict: 'unknown',
    })
  })

  it.each(['deleted', 'not_yours'] as const)('[SES-1] [SES-3] %s is said before anything else', (state) => {
    expect(judgeReport(report({ acked: 99 }), { state }, 'epoch')).toEqual({ sessionId: 's', verdict: state })
  })

  it('[REB-1] another log than the stored one is rebased', () => {
    expect(judgeReport(report({ logId: 'new', acked: 0 }), known(7), 'epoch')).toEqual({
      sessionId: 's',
      verdict: 'rebase',
      to: 7,
    })
  })

  it('[REB-1.2] a log that is too short is resumed all the same: the agent sees it by the number', () => {
    expect(judgeReport(report({ last: 6, acked: 6 }), known(9), 'epoch')).toMatchObject({ verdict: 'resume', from: 10 })
  })

  it('[REB-2.12] a hub that acked more than it has was put back by hand', () => {
    expect(judgeReport(report({ acked: 9 }), known(8), 'epoch')).toEqual({ kind: 'hub_restored' })
    expect(judgeReport(report({ acked: 9 }), { state: 'unknown' }, 'epoch')).toEqual({ kind: 'hub_restored' })
  })

  it('[REB-2.15] acknowledgements of another epoch accuse nobody', () => {
    expect(judgeReport(report({ acked: 9 }), known(8), 'next epoch')).toMatchObject({ verdict: 'resume', from: 9 })
  })
})

describe('isFenced', () => {
  it('[LINK-3.2] only the newest connection of an agent may write', () => {
    expect([isFenced(3, 3), isFenced(2, 3)]).toEqual([false, true])
  })
})
