import { CodedError } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { frame, sessionView, snapshot, stored } from '../testing/builders'
import type { Shown, ViewerEffect, ViewerEvent, ViewerPhase, ViewerSync } from './viewer-state'
import { openViewer, viewerRules, viewerStep } from './viewer-sync'

const rules = { ...viewerRules, eventOf: ({ body }: { body: string }) => JSON.parse(body) }

/** One viewer, with all that it asked for since it was last looked at. */
class Scene {
  sync: ViewerSync
  #effects: readonly ViewerEffect[]

  constructor() {
    const { sync, effects } = openViewer()
    this.sync = sync
    this.#effects = effects
  }

  hear(...events: ViewerEvent[]): this {
    for (const event of events) {
      const step = viewerStep(this.sync, event, rules)
      this.sync = step.sync
      this.#effects = [...this.#effects, ...step.effects]
    }
    return this
  }

  took(): readonly ViewerEffect[] {
    const taken = this.#effects
    this.#effects = []
    return taken
  }

  last<D extends ViewerEffect['do']>(what: D): Extract<ViewerEffect, { do: D }> {
    const found = this.took().findLast((effect) => effect.do === what)
    if (!found) throw new Error(`no ${what}`)
    return found as Extract<ViewerEffect, { do: D }>
  }

  delivered(): number[] {
    return this.took().flatMap((effect) => (effect.do === 'deliver' ? effect.events.map(({ seq }) => seq) : []))
  }
}

const refusal = (code: ConstructorParameters<typeof CodedError>[0]) => new CodedError(code)
const answer = (over: Partial<{ head: number; hubEpoch: string; tooFar: boolean }> = {}) => ({
  head: 10,
  hubEpoch: 'epoch',
  tooFar: false,
  ...over,
})

/** Its page is at 10, and its socket is closed. */
const away = () => {
  const scene = new Scene()
  scene.hear({ kind: 'snapshotCame', ask: scene.last('fetchSnapshot').ask, snapshot: snapshot(10) })
  return scene
}
const joining = () => away().hear({ kind: 'connected' })
const watching = () => {
  const scene = joining()
  return scene.hear({ kind: 'watchAnswered', ask: scene.last('watch').ask, reply: answer() })
}
const reopening = () => {
  const scene = joining()
  return scene.hear({ kind: 'watchAnswered', ask: scene.last('watch').ask, reply: answer({ tooFar: true }) })
}
const failedWatch = (code: Parameters<typeof refusal>[0]) => {
  const scene = joining()
  return scene.hear({ kind: 'watchFailed', ask: scene.last('watch').ask, error: refusal(code) })
}

const unknown = () => {
  const scene = new Scene()
  return scene.hear({ kind: 'snapshotFailed', ask: scene.sync.asked, error: refusal('SESSION_NOT_FOUND') })
}

const scenes: Record<ViewerPhase, () => Scene> = {
  opening: () => new Scene(),
  away,
  joining,
  watching,
  reopening,
  lost: () => failedWatch('SESSION_NOT_FOUND'),
  refused: () => failedWatch('FORBIDDEN'),
  closed: () => watching().hear({ kind: 'closed' }),
}

type Column = Exclude<ViewerEvent['kind'], 'blockCame' | 'blockFailed' | 'blockDue' | 'framesCame' | 'viewCame'>

/** Each event as it would come now, with the number that it answers. */
const columns: Record<Column, (sync: ViewerSync) => ViewerEvent> = {
  connected: () => ({ kind: 'connected' }),
  disconnected: () => ({ kind: 'disconnected' }),
  snapshotCame: ({ asked }) => ({ kind: 'snapshotCame', ask: asked, snapshot: snapshot(20) }),
  snapshotFailed: ({ asked }) => ({ kind: 'snapshotFailed', ask: asked, error: refusal('SESSION_NOT_FOUND') }),
  watchAnswered: ({ asked }) => ({ kind: 'watchAnswered', ask: asked, reply: answer() }),
  watchFailed: ({ asked }) => ({ kind: 'watchFailed', ask: asked, error: refusal('FORBIDDEN') }),
  rangeFetched: ({ filling }) => ({
    kind: 'rangeFetched',
    ask: filling ?? -1,
    page: { hubEpoch: 'epoch', head: 11, events: [stored(11)] },
  }),
  rangeFailed: ({ filling }) => ({ kind: 'rangeFailed', ask: filling ?? -1, error: refusal('FORBIDDEN') }),
  eventsCame: () => ({ kind: 'eventsCame', events: [stored(11)] }),
  headCame: () => ({ kind: 'headCame', head: 12 }),
  due: ({ asked }) => ({ kind: 'due', ask: asked }),
  closed: () => ({ kind: 'closed' }),
}

/** Every phase, what moves it, and what is asked for then; an event that is not named does neither. */
const moves: Record<ViewerPhase, Partial<Record<Column, string>>> = {
  opening: {
    snapshotCame: 'away: reset, showBlocks',
    snapshotFailed: 'opening: refuse, wait',
    due: 'opening: fetchSnapshot',
    closed: 'closed',
  },
  away: {
    connected: 'joining: watch',
    eventsCame: 'away: deliver, showProgress',
    headCame: 'away: fetchRange',
    closed: 'closed',
  },
  joining: {
    connected: 'joining: watch',
    disconnected: 'away',
    watchAnswered: 'watching',
    watchFailed: 'refused: refuse',
    eventsCame: 'joining: deliver, showProgress',
    headCame: 'joining: fetchRange',
    due: 'joining: watch',
    closed: 'closed: unwatch',
  },
  watching: {
    connected: 'joining: watch',
    disconnected: 'away',
    eventsCame: 'watching: deliver, showProgress',
    headCame: 'watching: fetchRange',
    closed: 'closed: unwatch',
  },
  reopening: {
    snapshotCame: 'joining: reset, showBlocks, watch',
    snapshotFailed: 'lost: refuse, wait',
    due: 'reopening: fetchSnapshot',
    closed: 'closed: unwatch',
  },
  lost: {
    connected: 'reopening: fetchSnapshot',
    due: 'reopening: fetchSnapshot',
    closed: 'closed: unwatch',
  },
  refused: {
    connected: 'reopening: fetchSnapshot',
    closed: 'closed: unwatch',
  },
  closed: {},
}

const cells = (Object.keys(moves) as ViewerPhase[]).flatMap((phase) =>
  (Object.keys(columns) as Column[]).map((column) => ({ phase, column, next: moves[phase][column] ?? phase })),
)

describe('viewerStep', () => {
  it.each(cells)('[VIEW-1..6] $phase, $column: $next', ({ phase, column, next }) => {
    const scene = scenes[phase]()
    expect(scene.sync.phase).toBe(phase)
    scene.took()
    scene.hear(columns[column](scene.sync))
    const what = scene.took().map((effect) => effect.do)
    expect([scene.sync.phase, ...(what.length > 0 ? [what.join(', ')] : [])].join(': ')).toBe(next)
  })

  it('[VIEW-1.2] the room is entered from where the snapshot ended', () => {
    expect(joining().last('watch')).toMatchObject({ afterSeq: 10, hubEpoch: 'epoch' })
  })

  it('[VIEW-5.1] [REB-2.16] a viewer too far behind, or with a cursor of another epoch, takes a snapshot', () => {
    for (const reply of [answer({ tooFar: true }), answer({ hubEpoch: 'another' })]) {
      const scene = joining()
      scene.hear({ kind: 'watchAnswered', ask: scene.last('watch').ask, reply })
      expect([scene.sync.phase, scene.took().map((effect) => effect.do)]).toEqual(['reopening', ['fetchSnapshot']])
    }
  })

  it('the answer of an older connection enters no room', () => {
    const scene = joining()
    const { ask } = scene.last('watch')
    scene.hear({ kind: 'disconnected' }, { kind: 'watchAnswered', ask, reply: answer() })
    expect(scene.sync.phase).toBe('away')
    scene.hear({ kind: 'connected' }, { kind: 'watchAnswered', ask, reply: answer() })
    expect(scene.sync.phase).toBe('joining')
  })

  it('a question that got no answer is asked again, and one from before does not add to it', () => {
    const scene = joining()
    const { ask } = scene.last('watch')
    scene.hear({ kind: 'watchFailed', ask, error: refusal('QUESTION_TIMEOUT') })
    expect(scene.took()).toEqual([{ do: 'wait', ms: 1_000, next: { kind: 'due', ask } }])
    scene.hear({ kind: 'disconnected' }, { kind: 'connected' }, { kind: 'due', ask })
    expect(scene.took().map((effect) => effect.do)).toEqual(['watch'])
  })

  it('[VIEW-3] [VIEW-4.1] what is missing is paged over HTTP, one question at a time', () => {
    const scene = watching()
    scene.hear({ kind: 'headCame', head: 13 }, { kind: 'headCame', head: 14 })
    const asked = scene.took()
    expect(asked).toEqual([{ do: 'fetchRange', ask: expect.any(Number), after: 10, limit: 500 }])
    const ask = scene.sync.filling ?? 0
    const page = { hubEpoch: 'epoch', head: 14, events: [stored(11), stored(12)] }
    scene.hear({ kind: 'rangeFetched', ask, page })
    expect(scene.took()).toMatchObject([
      { do: 'deliver' },
      { do: 'showProgress', at: 12, head: 14 },
      { do: 'fetchRange', after: 12 },
    ])
  })

  it('[VIEW-2.3] what came too early is shown behind the range that was missing', () => {
    const scene = watching()
    scene.hear({ kind: 'eventsCame', events: [stored(12)] })
    const { ask } = scene.last('fetchRange')
    scene.hear({ kind: 'rangeFetched', ask, page: { hubEpoch: 'epoch', head: 12, events: [stored(11)] } })
    expect(scene.delivered()).toEqual([11, 12])
    expect(scene.sync.filling).toBeNull()
  })

  it('a range that failed is asked for again, and one that has nothing yet waits for the next head', () => {
    const scene = watching().hear({ kind: 'headCame', head: 12 })
    const { ask } = scene.last('fetchRange')
    scene.hear({ kind: 'rangeFailed', ask, error: refusal('STORAGE_UNAVAILABLE') }, { kind: 'headCame', head: 13 })
    expect(scene.took()).toEqual([{ do: 'wait', ms: 1_000, next: { kind: 'due', ask } }])
    scene.hear({ kind: 'due', ask })
    const again = scene.last('fetchRange')
    scene.hear({ kind: 'rangeFetched', ask: again.ask, page: { hubEpoch: 'epoch', head: 13, events: [] } })
    expect(scene.took()).toEqual([])
    expect(scene.hear({ kind: 'headCame', head: 13 }).last('fetchRange').after).toBe(10)
  })

  it('a range that is refused refuses the page', () => {
    const scene = watching().hear({ kind: 'headCame', head: 12 })
    const { ask } = scene.last('fetchRange')
    scene.hear({ kind: 'rangeFailed', ask, error: refusal('FORBIDDEN') })
    expect([scene.sync.phase, scene.took().map((effect) => effect.do)]).toEqual(['refused', ['refuse']])
  })

  it('[REB-2.16] a range of another epoch is not shown', () => {
    const scene = watching().hear({ kind: 'headCame', head: 12 })
    const { ask } = scene.last('fetchRange')
    scene.hear({ kind: 'rangeFetched', ask, page: { hubEpoch: 'another', head: 12, events: [stored(11)] } })
    expect(scene.took().map((effect) => effect.do)).toEqual(['fetchSnapshot'])
  })

  it('[VIEW-3] a page that was opened anew while a range was on its way asks for what it misses at once', () => {
    const scene = watching().hear({ kind: 'headCame', head: 12 })
    const late = scene.last('fetchRange').ask
    scene.hear({ kind: 'disconnected' }, { kind: 'connected' })
    scene.hear({ kind: 'watchAnswered', ask: scene.last('watch').ask, reply: answer({ tooFar: true }) })
    scene.hear({ kind: 'snapshotCame', ask: scene.last('fetchSnapshot').ask, snapshot: snapshot(20) })
    scene.hear({ kind: 'watchAnswered', ask: scene.last('watch').ask, reply: answer({ head: 25 }) })
    expect(scene.last('fetchRange').after).toBe(20)
    scene.hear({ kind: 'rangeFetched', ask: late, page: { hubEpoch: 'epoch', head: 12, events: [stored(21)] } })
    expect(scene.took()).toEqual([])
  })

  it('[SES-5] an older view than the one that is shown is dropped', () => {
    const scene = watching()
    scene.took()
    for (const rev of [3, 2, 3]) scene.hear({ kind: 'viewCame', view: sessionView({ rev }) })
    expect(scene.took().map((effect) => effect.do === 'showView' && effect.view.rev)).toEqual([3, 3])
  })

  it.each([
    ['was shown', () => failedWatch('SESSION_NOT_FOUND')],
    ['was never shown', () => unknown()],
  ])('[REB-2] a session that is not there, and %s, is looked for ever more rarely', (_which, begin) => {
    const scene = begin()
    const pauses: number[] = []
    for (let tries = 0; tries < 6; tries += 1) {
      const { ms, next } = scene.last('wait')
      pauses.push(ms)
      scene.hear(next)
      scene.hear({ kind: 'snapshotFailed', ask: scene.last('fetchSnapshot').ask, error: refusal('SESSION_NOT_FOUND') })
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    scene.hear(scene.last('wait').next)
    scene.hear({ kind: 'snapshotCame', ask: scene.last('fetchSnapshot').ask, snapshot: snapshot(3) })
    expect([scene.sync.page?.head, scene.sync.lostTries]).toEqual([3, 0])
  })

  it('one who may see the session again sees it when the connection is back', () => {
    const scene = failedWatch('FORBIDDEN').hear({ kind: 'disconnected' }, { kind: 'connected' })
    scene.hear({ kind: 'snapshotCame', ask: scene.last('fetchSnapshot').ask, snapshot: snapshot(11) })
    expect(scene.took().map((effect) => effect.do)).toEqual(['reset', 'showBlocks', 'watch'])
  })
})

describe('the live text of a viewer', () => {
  const texts = (scene: Scene) => (scene.sync as Shown).page.blocks.open.map(({ text }) => text)

  it('[LOG-5.10] a frame that does not fit asks for the text, and its answer is shown', () => {
    const scene = watching().hear({ kind: 'framesCame', frames: [frame({ afterSeq: 10, offset: 3, text: 'lo' })] })
    const { opened, blockId, from } = scene.last('askBlock')
    expect([blockId, from]).toEqual(['b', 0])
    scene.hear({ kind: 'blockCame', opened, block: { blockId, from: 0, text: 'hello' } })
    expect(texts(scene)).toEqual(['hello'])
  })

  it('[LOG-5.10] a question that failed is asked again by a later frame, behind a pause', () => {
    const lost = frame({ afterSeq: 10, offset: 3, text: 'lo' })
    const scene = watching().hear({ kind: 'framesCame', frames: [lost] })
    const { opened, blockId } = scene.last('askBlock')
    scene.hear({ kind: 'blockFailed', opened, blockId })
    const { next } = scene.last('wait')
    scene.hear({ kind: 'framesCame', frames: [lost] })
    expect(scene.took().map((effect) => effect.do)).toEqual(['showBlocks'])
    scene.hear(next, { kind: 'framesCame', frames: [lost] })
    expect(scene.took().map((effect) => effect.do)).toEqual(['askBlock', 'showBlocks'])
  })

  it('the text of a block of the page before is dropped', () => {
    const scene = watching().hear({ kind: 'framesCame', frames: [frame({ afterSeq: 10, offset: 3, text: 'lo' })] })
    const { opened, blockId } = scene.last('askBlock')
    scene.hear({ kind: 'disconnected' }, { kind: 'connected' })
    scene.hear({ kind: 'watchAnswered', ask: scene.last('watch').ask, reply: answer({ tooFar: true }) })
    const open = { ...frame({ afterSeq: 10 }), length: 2, from: 0, text: 'he' }
    const ask = scene.last('fetchSnapshot').ask
    scene.hear({ kind: 'snapshotCame', ask, snapshot: snapshot(10, { openBlocks: [open] }) })
    scene.hear({ kind: 'blockCame', opened, block: { blockId, from: 0, text: 'hello' } })
    expect(texts(scene)).toEqual(['he'])
  })

  it('[LOG-5] the finished event takes its block away', () => {
    const scene = watching().hear({ kind: 'framesCame', frames: [frame({ afterSeq: 10, text: 'hi' })] })
    const body = JSON.stringify({ kind: 'assistant_text', blockId: 'b', text: 'hi' })
    scene.took()
    scene.hear({ kind: 'eventsCame', events: [stored(11, { body })] })
    expect(scene.took()).toMatchObject([
      { do: 'deliver' },
      { do: 'showBlocks', blocks: { open: [] } },
      { do: 'showProgress' },
    ])
  })
})
