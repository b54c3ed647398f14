import { describe, expect, it } from 'vitest'
import {
  ended,
  error,
  greeting,
  inFlight,
  judged,
  limits,
  of,
  online,
  opening,
  reporting,
  resume,
  type Scene,
} from '../testing/link-scene'
import type { LinkEvent } from './link-events'
import type { LinkStage } from './link-moves'

const stages: Record<LinkStage, () => Scene> = { opening, greeting, reporting, online, ended }

type Column = 'welcomed' | 'welcomeOverdue' | 'helloTaken' | 'pageAnswered' | 'failed'
const columns: Record<Column, LinkEvent> = {
  welcomed: { kind: 'welcomed', hubEpoch: 'epoch', limits },
  welcomeOverdue: { kind: 'welcomeOverdue' },
  helloTaken: { kind: 'helloTaken' },
  pageAnswered: { kind: 'pageAnswered', named: [], verdicts: [], isLast: true },
  failed: { kind: 'failed', reason: 'over' },
}
/** What moves a connection; an event that is not named keeps the stage. */
const moves: Record<LinkStage, Partial<Record<Column, LinkStage>>> = {
  opening: { welcomed: 'greeting', welcomeOverdue: 'ended', failed: 'ended' },
  greeting: { helloTaken: 'reporting', welcomeOverdue: 'ended', failed: 'ended' },
  reporting: { pageAnswered: 'online', failed: 'ended' },
  online: { failed: 'ended' },
  ended: {},
}
const cells = (Object.keys(moves) as LinkStage[]).flatMap((stage) =>
  (Object.keys(columns) as Column[]).map((column) => ({ stage, column, next: moves[stage][column] ?? stage })),
)

describe('a connection', () => {
  it.each(cells)('[LINK-2] $stage, $column: $next', ({ stage, column, next }) => {
    const scene = stages[stage]()
    expect(scene.link.stage).toBe(stage)
    expect(scene.hear(columns[column]).link.stage).toBe(next)
  })

  it('[LINK-2.2] [LINK-2.3] says hello, then its accounts, then its sessions in pages, and is online behind the last', () => {
    const scene = greeting()
    expect(scene.asked('sayHello')).toHaveLength(1)
    scene.hear({ kind: 'helloTaken' })
    expect([scene.asked('greet').length, scene.asked('reportPage').length]).toEqual([1, 1])
    scene.hear({ kind: 'pageAnswered', named: [], verdicts: [], isLast: false })
    expect([scene.asked('goOnline').length, scene.asked('reportPage').length]).toEqual([0, 1])
    scene.hear({ kind: 'pageAnswered', named: [], verdicts: [], isLast: true })
    expect([scene.asked('goOnline').length, scene.asked('reportPage').length]).toEqual([1, 0])
  })

  it('[SES-3.7] carries out a deletion that the hub tells before its answer to the hello, and no other verdict yet', () => {
    const scene = greeting()
    scene.hear({ kind: 'verdictCame', verdict: resume(1, 'a') })
    for (const verdict of ['deleted', 'not_yours'] as const)
      scene.hear({ kind: 'verdictCame', verdict: { sessionId: verdict, verdict } })
    expect(scene.asked('take').map(({ verdict }) => verdict.sessionId)).toEqual(['deleted', 'not_yours'])
  })

  it('[LINK-4.3] [LINK-4.4] lived if it was greeted and broke without a word, or stood for long', () => {
    const end = (scene: Scene, code: string | undefined, after: number) => {
      scene.now = after
      scene.hear({ kind: 'failed', reason: 'over', ...(code ? { code } : {}) })
      return scene.asked('end').map(({ lived }) => lived)
    }
    expect(end(greeting(), undefined, 0)).toEqual([false])
    expect(end(online(), undefined, 0)).toEqual([true])
    expect(end(online(), 'AGENT_DISABLED', 5_000)).toEqual([false])
    expect(end(online(), 'AGENT_DISABLED', 10_001)).toEqual([true])
  })

  it('[LINK-3.2] ends when a newer one has taken over, whatever log that was about', () => {
    const scene = inFlight().hear({ kind: 'renewed', sessionId: 's' })
    scene.hear({ kind: 'refused', ...of, error: error('FENCED') })
    expect(scene.asked('end')).toEqual([
      { do: 'end', reason: 'a newer connection of this agent has taken over', lived: true },
    ])
  })

  it('[FLOW-1.2] sends sessions of one page in turn', () => {
    const scene = reporting()
    for (const sessionId of ['a', 'b']) scene.heads.set(sessionId, 20)
    const verdicts = [resume(1, 'a'), resume(1, 'b')]
    scene.link.hear({ kind: 'pageAnswered', named: ['a', 'b'], verdicts, isLast: true }, 0)
    for (const verdict of verdicts)
      scene.link.hear({ kind: 'positioned', verdict, position: { head: 20, acked: 0, ackedEpoch: 'epoch' } }, 0)
    scene.hear({ kind: 'pumped' })
    expect(scene.sent()).toEqual([
      ['a', 1, 10],
      ['b', 1, 10],
      ['a', 11, 20],
    ])
  })

  it('[FLOW-3] sends nothing while the hub asked for a pause, and everything behind it', () => {
    const scene = judged()
    scene.hear({ kind: 'holdCame', ms: 500 }, { kind: 'appended', sessionId: 's', head: 8 })
    expect(scene.sent()).toEqual([])
    scene.now = 500
    scene.hear({ kind: 'holdOver' })
    expect(scene.sent()).toEqual([['s', 6, 8]])
  })

  it('a longer pause that comes during one counts', () => {
    const scene = judged()
    scene.hear(
      { kind: 'holdCame', ms: 500 },
      { kind: 'holdCame', ms: 900 },
      { kind: 'appended', sessionId: 's', head: 8 },
    )
    scene.now = 500
    scene.hear({ kind: 'holdOver' })
    expect([scene.sent(), scene.asked('wait').at(-1)]).toEqual([
      [],
      { do: 'wait', ms: 400, next: { kind: 'holdOver' } },
    ])
  })

  it('[CMD-3] news that the hub refuses for good is told, that it cannot take now is told again, silence is left to the next hello', () => {
    const item = { commandId: 'c', sessionId: 's', answer: { state: 'done' as const } }
    const outcome = (answer: 'taken' | 'refused' | 'passing' | 'silent') => {
      const scene = online().hear({ kind: 'newsDue', item })
      scene.asked('wait')
      scene.hear({ kind: 'newsAnswered', item, answer })
      return [scene.asked('newsDelivered').length, scene.asked('wait').length]
    }
    expect([outcome('taken'), outcome('refused'), outcome('passing'), outcome('silent')]).toEqual([
      [1, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ])
  })
})
