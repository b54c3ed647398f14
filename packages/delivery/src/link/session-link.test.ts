import type { Verdict } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { error, inFlight, judged, of, online, report, reporting, resume, type Scene } from '../testing/link-scene'
import type { LinkEvent } from './link-events'
import type { SessionStage } from './session-link'

const appended: LinkEvent = { kind: 'appended', sessionId: 's', head: 9 }
const renewed: LinkEvent = { kind: 'renewed', sessionId: 's' }

/** Each stage of a session, on a connection that is online unless the stage cannot be there. */
const sessions: Record<SessionStage, () => Scene> = {
  new: () => online(),
  late: () => reporting().hear(appended),
  asked: () => online().hear(appended),
  judged,
  left: () => judged().hear({ kind: 'nothingRead', sessionId: 's' }),
  landing: () =>
    inFlight()
      .hear({ kind: 'appended', sessionId: 's', head: 18 })
      .hear({ kind: 'refused', ...of, error: error('INTERNAL', true) }),
  resting: () => judged().hear({ kind: 'unreadable', sessionId: 's' }),
  outdated: () => inFlight().hear(renewed),
  overtaken: () => online().hear(appended, renewed),
}

type SessionColumn =
  | 'appended'
  | 'renewed'
  | 'verdict'
  | 'answered'
  | 'gone'
  | 'restOver'
  | 'landed'
  | 'nothingRead'
  | 'unreadable'
  | 'refused'
const sessionColumns: Record<SessionColumn, (scene: Scene) => LinkEvent> = {
  appended: () => ({ kind: 'appended', sessionId: 's', head: 30 }),
  renewed: () => renewed,
  verdict: () => ({ kind: 'verdictCame', verdict: resume(1) }),
  answered: () => ({ kind: 'reportAnswered', sessionId: 's', verdicts: [] }),
  gone: () => ({ kind: 'nothingToReport', sessionId: 's' }),
  restOver: (scene) => ({ kind: 'restOver', sessionId: 's', pause: scene.link.of('s').pause }),
  landed: () => ({ kind: 'acked', ...of, generation: -1, upTo: 1 }),
  nothingRead: () => ({ kind: 'nothingRead', sessionId: 's' }),
  unreadable: () => ({ kind: 'unreadable', sessionId: 's' }),
  refused: (scene) => ({
    kind: 'refused',
    sessionId: 's',
    generation: scene.link.of('s').generation,
    error: error('RATE_LIMITED', true),
  }),
}
const sessionMoves: Record<SessionStage, Partial<Record<SessionColumn, string>>> = {
  new: { appended: 'asked, report', renewed: 'asked, report', verdict: 'judged' },
  late: { renewed: 'outdated', verdict: 'judged' },
  asked: { renewed: 'overtaken', verdict: 'judged', answered: 'resting', gone: 'new' },
  judged: { renewed: 'asked, report', nothingRead: 'left', unreadable: 'resting', refused: 'resting' },
  left: { appended: 'asked, report', renewed: 'asked, report', verdict: 'judged' },
  landing: { renewed: 'outdated', verdict: 'judged', landed: 'resting', refused: 'resting' },
  resting: { renewed: 'asked, report', verdict: 'judged', restOver: 'asked, report' },
  outdated: { landed: 'asked, report', refused: 'asked, report' },
  overtaken: { answered: 'asked, report', gone: 'asked, report' },
}
const sessionCells = (Object.keys(sessionMoves) as SessionStage[]).flatMap((stage) =>
  (Object.keys(sessionColumns) as SessionColumn[]).map((column) => ({
    stage,
    column,
    next: sessionMoves[stage][column] ?? stage,
  })),
)

describe('a session on a connection', () => {
  it.each(sessionCells)('[LINK-2] [REB-4] $stage, $column: $next', ({ stage, column, next }) => {
    const scene = sessions[stage]()
    expect(scene.stageOf()).toBe(stage)
    report(scene)
    scene.hear(sessionColumns[column](scene))
    expect([scene.stageOf(), ...(report(scene).length > 0 ? ['report'] : [])].join(', ')).toBe(next)
  })

  it('[LINK-2.5] nothing of it is sent before its verdict', () => {
    const scene = online()
    scene.heads.set('s', 3)
    scene.hear({ kind: 'appended', sessionId: 's', head: 3 })
    expect([scene.sent(), report(scene)]).toEqual([[], ['s']])
    scene.hear({ kind: 'reportAnswered', sessionId: 's', verdicts: [resume(1)] })
    expect(scene.sent()).toEqual([['s', 1, 3]])
  })

  it('one that begins while the others are reported is reported behind them', () => {
    const scene = reporting().hear({ kind: 'appended', sessionId: 's', head: 3 })
    expect(report(scene)).toEqual([])
    scene.hear({ kind: 'pageAnswered', named: [], verdicts: [], isLast: true })
    expect(report(scene)).toEqual(['s'])
  })

  it('[FLOW-3.3] one on which the hub says nothing is reported ever more rarely', () => {
    const scene = reporting().hear({ kind: 'pageAnswered', named: ['s'], verdicts: [], isLast: true })
    const pauses: number[] = []
    for (let tries = 0; tries < 8; tries += 1) {
      const [pause] = scene.asked('wait').slice(-1)
      pauses.push(pause?.ms ?? 0)
      if (pause) scene.hear(pause.next, { kind: 'reportAnswered', sessionId: 's', verdicts: [] })
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it.each([
    ['INTERNAL', 10_000],
    ['RATE_LIMITED', 60_000],
  ] as const)('[FLOW-3.2] one whose events the hub fails to take (%s) rests alone, up to %i ms', (code, longest) => {
    const scene = judged()
    scene.heads.set('s', 8)
    const pauses: number[] = []
    for (let tries = 0; tries < 8; tries += 1) {
      scene.hear({ kind: 'appended', sessionId: 's', head: 8 })
      scene.asked('wait')
      scene.hear({ kind: 'refused', sessionId: 's', generation: tries, error: error(code, true) })
      const [pause] = scene.asked('wait')
      pauses.push(pause?.ms ?? 0)
      if (pause) scene.hear(pause.next, { kind: 'reportAnswered', sessionId: 's', verdicts: [resume(6)] })
    }
    expect(pauses.slice(0, 3)).toEqual([1_000, 2_000, 4_000])
    expect(pauses.at(-1)).toBe(longest)
  })

  it('[REB-1] an order to move the log is carried out before anything more is sent', () => {
    const scene = reporting()
    scene.heads.set('s', 5)
    const verdict: Verdict = { sessionId: 's', verdict: 'rebase', to: 7 }
    scene.acked.set('s', { acked: 5, ackedEpoch: 'epoch' })
    scene.hear({ kind: 'pageAnswered', named: ['s'], verdicts: [verdict], isLast: true })
    expect(scene.asked('rebase')).toMatchObject([{ order: { to: 7, held: 5 } }])
    expect(scene.sent()).toEqual([])
    scene.hear({ kind: 'moved', ...of, to: 7, head: 9 })
    expect(scene.sent()).toEqual([['s', 8, 9]])
  })

  it('[REB-1.7] a log that could not be moved is reported again behind a pause', () => {
    const scene = judged().hear({ kind: 'notMoved', ...of })
    const [pause] = scene.asked('wait').slice(-1)
    expect(pause?.ms).toBe(1_000)
    if (pause) scene.hear(pause.next)
    expect(report(scene)).toEqual(['s'])
  })

  it('[REB-4] what the hub says of a log that is another one now is not heard', () => {
    const scene = inFlight().hear(renewed)
    scene.asked('ack')
    scene.hear({ kind: 'verdictCame', verdict: resume(3) }, { kind: 'acked', ...of, upTo: 8 })
    expect([scene.asked('ack'), report(scene), scene.stageOf()]).toEqual([[], ['s'], 'asked'])
    scene.hear({ kind: 'reportAnswered', sessionId: 's', verdicts: [resume(1)] })
    expect(scene.asked('tellState')).toEqual([{ do: 'tellState', sessionId: 's' }])
  })

  it('[REB-2.14] a hub that was restored and holds a log whole has acked it under its new epoch', () => {
    const scene = reporting()
    scene.heads.set('s', 5)
    scene.acked.set('s', { acked: 5, ackedEpoch: 'the one before' })
    scene.hear({ kind: 'pageAnswered', named: ['s'], verdicts: [resume(4)], isLast: true })
    expect(scene.asked('ack')).toEqual([{ do: 'ack', sessionId: 's', upTo: 3 }])
  })
})
