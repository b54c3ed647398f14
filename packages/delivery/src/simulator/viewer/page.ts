/** One session in a browser tab: the very machine that pages run, and what it shows. */
import { CodedError, type StoredEvent } from '@roundhouse/backend-types'
import {
  openViewer,
  type ViewerEffect,
  type ViewerEvent,
  type ViewerRules,
  type ViewerStep,
  type ViewerSync,
} from '../../index'
import type { Answer, EventsPage, Watched } from '../hub/viewer-rooms'
import { eventOf } from '../machine/bodies'
import { request } from '../world/network'
import { demand } from '../world/truth'
import { askTimeoutMs, type Viewer } from './viewer'

type Snapshot = Extract<ViewerEffect, { do: 'reset' }>['snapshot']
type Run = { [D in ViewerEffect['do']]: (effect: Extract<ViewerEffect, { do: D }>) => void }

export class Page {
  readonly #viewer: Viewer
  readonly #sessionId: string
  readonly #rules: ViewerRules
  readonly #run: Run
  rendered: StoredEvent[] = []
  sync: ViewerSync = openViewer().sync
  #rev = 0
  #life = 0

  constructor(viewer: Viewer, sessionId: string) {
    const { receiveEvents, receiveHead, applyFrame } = viewer.world.kernel
    const { truth } = viewer.world
    this.#viewer = viewer
    this.#sessionId = sessionId
    this.#rules = { receiveEvents, receiveHead, applyFrame, eventOf }
    this.#run = {
      fetchSnapshot: ({ ask }) =>
        this.#http<Snapshot>(
          (hub, reply) => hub.viewers.snapshot(sessionId, reply),
          (snapshot) => ({ kind: 'snapshotCame', ask, snapshot }),
          (error) => ({ kind: 'snapshotFailed', ask, error }),
        ),
      fetchRange: ({ ask, after, limit }) =>
        this.#http<EventsPage>(
          (hub, reply) => hub.viewers.page(sessionId, after, limit, reply),
          (page) => ({ kind: 'rangeFetched', ask, page }),
          (error) => ({ kind: 'rangeFailed', ask, error }),
        ),
      watch: (effect) => this.#watch(effect),
      askBlock: (effect) => this.#askBlock(effect),
      unwatch: () => {},
      wait: ({ ms, next }) => this.#later(ms, () => this.hear(next)),
      reset: ({ snapshot }) => {
        viewer.world.trace(() => `${viewer.name} has ${sessionId} up to ${snapshot.head} in ${snapshot.hubEpoch}`)
        truth.shown(snapshot.hubEpoch, sessionId, snapshot.events)
        this.rendered = [...snapshot.events]
        this.#rev = snapshot.session.rev
      },
      deliver: ({ events }) => {
        truth.shown(this.sync.page?.cursor.hubEpoch ?? '', sessionId, events)
        this.rendered.push(...events)
      },
      showView: ({ view }) => {
        demand(view.rev >= this.#rev, 'SES-5', () => `${viewer.name} shows view ${view.rev} after ${this.#rev}`)
        this.#rev = view.rev
      },
      showBlocks: ({ blocks }) => {
        for (const { blockId, from, text } of blocks.open) truth.showedLive(blockId, from, text)
      },
      showProgress: () => {},
      // A person who is shown nothing loads the page again.
      refuse: () => this.sync.phase === 'refused' && this.#later(500, () => this.open()),
    }
  }

  open(): void {
    this.#life += 1
    this.#take(openViewer())
    if (this.#viewer.channel) this.hear({ kind: 'connected' })
  }

  hear(event: ViewerEvent): void {
    this.#take(this.#viewer.world.kernel.viewerStep(this.sync, event, this.#rules))
  }

  #take({ sync, effects }: ViewerStep): void {
    this.sync = sync
    for (const effect of effects) (this.#run[effect.do] as (effect: ViewerEffect) => void)(effect)
  }

  #watch({ ask, afterSeq, hubEpoch }: Extract<ViewerEffect, { do: 'watch' }>): void {
    const failed = (code: 'QUESTION_TIMEOUT' | 'SESSION_NOT_FOUND') =>
      this.#hearLater({ kind: 'watchFailed', ask, error: new CodedError(code) })
    const { channel } = this.#viewer
    if (!channel) {
      failed('QUESTION_TIMEOUT')
      return
    }
    channel.ask(
      (hub, reply: (r: Answer<Watched>) => void) =>
        hub.viewers.watch(channel, this.#sessionId, { afterSeq, hubEpoch }, reply),
      (reply) => ('refused' in reply ? failed(reply.refused) : this.hear({ kind: 'watchAnswered', ask, reply })),
      { ms: askTimeoutMs, failed: () => failed('QUESTION_TIMEOUT') },
    )
  }

  #askBlock({ opened, blockId, from }: Extract<ViewerEffect, { do: 'askBlock' }>): void {
    const failed = () => this.#hearLater({ kind: 'blockFailed', opened, blockId })
    const { channel } = this.#viewer
    if (!channel) {
      failed()
      return
    }
    channel.ask(
      (hub, reply: (r: { from: number; text: string } | null) => void) =>
        hub.viewers.block(this.#sessionId, blockId, from, reply),
      (r) => (r ? this.hear({ kind: 'blockCame', opened, block: { blockId, ...r } }) : failed()),
      { ms: askTimeoutMs, failed },
    )
  }

  #http<R extends object>(
    call: (hub: Viewer['hub'], reply: (r: Answer<R>) => void) => void,
    came: (r: R) => ViewerEvent,
    failed: (error: CodedError) => ViewerEvent,
  ): void {
    const { hub, viewerId: route } = this.#viewer
    const life = this.#life
    request<Viewer['hub'], Answer<R>>(this.#viewer, { hub, route, limitMs: askTimeoutMs }, call, (r) => {
      if (life !== this.#life) return
      if (!r) this.hear(failed(new CodedError('STORAGE_UNAVAILABLE')))
      else if ('refused' in r) this.hear(failed(new CodedError(r.refused)))
      else this.hear(came(r))
    })
  }

  #hearLater(event: ViewerEvent): void {
    this.#later(1, () => this.hear(event))
  }

  #later(ms: number, run: () => void): void {
    const life = this.#life
    this.#viewer.after(ms, () => life === this.#life && run())
  }
}
