import { type ErrorCode, linkLimits, type Verdict } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { LinkEffect, LinkEvent } from './link-events'
import { type LinkStage, LinkState } from './link-state'
import type { SessionStage } from './session-link'

const limits = { ...linkLimits, batchEvents: 10, batchBytes: 1_000, windowEvents: 30, windowBytes: 3_000 }
const resume = (from: number, sessionId = 's'): Verdict => ({ sessionId, verdict: 'resume', from })
const error = (code: ErrorCode, retryable = false, details?: Record<string, unknown>) => ({
  code,
  message: code,
  retryable,
  ...(details ? { details } : {}),
})

/** A connection with what it asks for; logs are numbers. */
class Scene {
  readonly link = new LinkState()
  readonly heads = new Map<string, number>([['s', 0]])
  readonly acked = new Map<string, { acked: number; ackedEpoch: string }>()
  now = 0
  #asked: LinkEffect[] = this.link.begin()

  hear(...events: LinkEvent[]): this {
    for (const event of events) this.#follow(this.link.hear(event, this.now))
    return this
  }

  /** What the daemon does at once: it says where a log stands, and sends what it is asked for. */
  #follow(effects: LinkEffect[]): void {
    this.#asked.push(...effects)
    for (const effect of effects) {
      if (effect.do === 'take') {
        const { sessionId } = effect.verdict
        const position = {
          acked: 0,
          ackedEpoch: 'epoch',
          ...this.acked.get(sessionId),
          head: this.heads.get(sessionId) ?? 0,
        }
        this.hear({ kind: 'positioned', verdict: effect.verdict, position })
      }
      if (effect.do === 'pump') this.hear({ kind: 'pumped' })
      if (effect.do === 'send') {
        const { sessionId, after, upTo } = effect
        const last = Math.min(upTo, after + limits.batchEvents)
        this.hear({ kind: 'batchSent', sessionId, last, events: last - after, bytes: 10 })
      }
    }
  }

  asked<D extends LinkEffect['do']>(what: D): Array<Extract<LinkEffect, { do: D }>> {
    const found = this.#asked.filter((effect) => effect.do === what) as Array<Extract<LinkEffect, { do: D }>>
    this.#asked = this.#asked.filter((effect) => effect.do !== what)
    return found
  }

  sent(): Array<[string, number, number]> {
    return this.asked('send').map(({ sessionId, after, upTo }) => [
      sessionId,
      after + 1,
      Math.min(upTo, after + limits.batchEvents),
    ])
  }

  stageOf(sessionId = 's'): SessionStage {
    return this.link.of(sessionId).stage
  }
}

const opening = () => new Scene()
const greeting = () => opening().hear({ kind: 'welcomed', hubEpoch: 'epoch', limits })
const reporting = () => greeting().hear({ kind: 'helloTaken' })
const online = (...verdicts: Verdict[]) =>
  reporting().hear({ kind: 'pageAnswered', named: verdicts.map((v) => v.sessionId), verdicts, isLast: true })
const ended = () => online().hear({ kind: 'failed', reason: 'over' })

/** In service, with everything sent and acked up to 5. */
function judged(): Scene {
  const scene = reporting()
  scene.heads.set('s', 5)
  scene.acked.set('s', { acked: 5, ackedEpoch: 'epoch' })
  return scene.hear({ kind: 'pageAnswered', named: ['s'], verdicts: [resume(6)], isLast: true })
}
/** One batch up to 8 waits for its answer. */
const inFlight = () => judged().hear({ kind: 'appended', sessionId: 's', head: 8 })
const of = { sessionId: 's', generation: 0 }
const report = (scene: Scene) => scene.asked('report').map(({ sessionId }) => sessionId)

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
